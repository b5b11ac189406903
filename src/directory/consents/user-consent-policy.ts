// Which applications a tenant lets its people decide about.

import type { Registration, Tenant } from '../records.js'

/**
 * Whether people of the tenant may consent for themselves to this application at all. Unless the tenant says otherwise:
 * to its own, and to those of others whose publisher an operator has verified, because anybody elsewhere can register
 * one.
 */
export function usersMayConsent(
  tenant: Pick<Tenant, 'tenantId' | 'userConsent'> | undefined,
  { tenantId: home, verified }: Pick<Registration, 'tenantId' | 'verified'>,
): boolean {
  if (tenant?.userConsent === 'allowed') return true
  return tenant?.userConsent === 'verified' && (home === tenant.tenantId || verified)
}
