// The tenant that a path names, for callers that may ask about it.

import type { Caller } from '../access/access.js'
import { ownTenantId } from '../access/ownership.js'

/** Its id, which must be that of the caller's own tenant. Throws DirectoryRefusal (TenantNotFound). */
export function requireOwnTenant(caller: Caller, tenantId: string): string {
  return ownTenantId(caller, tenantId) ?? tenantId.toLowerCase()
}

/** Whether the caller looks after all tenants: the local socket, and operators of the installation. */
export function isOperator(caller: Caller): boolean {
  return caller.kind === 'local' || caller.person?.isOperator === true
}
