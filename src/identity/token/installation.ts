// The tenant that a token is for (contract §3). Unknown, out of use and not installed there are one refusal with one
// text, so that nobody learns which tenants exist.

import type { Directory, Installation, Registration, Tenant } from '../../directory/records.js'
import { errorNumber } from '../../oauth/errors/error-numbers.js'
import { OAuthError } from '../../oauth/errors/errors.js'

/**
 * The application in the requested tenant (a GUID), or in its home tenant. In its home tenant an application is always
 * present, with or without consents. Throws OAuthError `unauthorized_client` (700016), StoreUnavailable.
 */
export async function requireInstallation(
  directory: Directory,
  registration: Registration,
  requested: string | undefined,
): Promise<Installation> {
  const { applicationId, tenantId: home } = registration
  const tenantId = requested ?? home
  const found = [
    directory.findTenant(home),
    directory.findTenant(tenantId),
    directory.findInstallation(applicationId, tenantId),
  ] as const
  const [homeTenant, tenant, installed] = isAtHand(found) ? found : await Promise.all(found)
  const atHome = tenantId === home
  const installation = installed ?? (atHome ? { applicationId, tenantId, granted: [] } : undefined)
  const inUse = homeTenant?.state === 'enabled' && tenant?.state === 'enabled'
  if (installation !== undefined && inUse && (atHome || registration.audience === 'any')) return installation
  throw new OAuthError('unauthorized_client', 'The application was not found in the tenant.', {
    number: errorNumber.notInTenant,
  })
}

type Known = readonly [Tenant | undefined, Tenant | undefined, Installation | undefined]

/** Nothing has to be loaded, as of every application that is in use. */
function isAtHand(found: readonly unknown[]): found is Known {
  return !found.some((one) => one instanceof Promise)
}
