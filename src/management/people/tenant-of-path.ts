// The tenant that a path names, for whoever may ask about it.

import type { Caller } from '../access/access.js'
import { ownTenantId } from '../access/ownership.js'

/** Its id, which must be that of the caller's own tenant. Throws DirectoryRefusal (TenantNotFound). */
export function requireOwnTenant(caller: Caller, asked: string): string {
  return ownTenantId(caller, asked) ?? asked.toLowerCase()
}

/** Whether the caller looks after all tenants: the local socket, and operators of the installation. */
export function isOperator(caller: Caller): boolean {
  return caller.kind === 'local' || caller.person?.isOperator === true
}
