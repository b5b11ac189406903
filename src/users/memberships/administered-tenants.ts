// Where somebody is administrator.

import type { Statements } from '../../storage/sql/store.js'
import { listMemberships } from './memberships.js'
import { isAdministrator } from './roles.js'

/** The tenants in which a user is administrator or owner. Throws StoreUnavailable. */
export async function administeredTenantIds(reader: Statements, userId: string): Promise<string[]> {
  const memberships = await listMemberships(reader, { userId })
  return memberships.filter(({ role }) => isAdministrator(role)).map(({ tenantId }) => tenantId)
}
