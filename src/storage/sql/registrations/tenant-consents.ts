// Queries of consents across people: what administrators allowed, by tenant; what everybody allowed of one permission.

import type { Tables } from '../rows/tables.js'
import type { Statements } from '../store.js'

/** What is consented to in these tenants, by application, resource and permission; at most `limit` rows. */
export async function listTenantGrants(
  statements: Statements,
  tenantIds: readonly string[],
  limit: number,
): Promise<Tables['permission_grants'][]> {
  if (tenantIds.length === 0) return []
  return statements
    .selectFrom('permission_grants')
    .selectAll()
    .where('tenant_id', 'in', [...tenantIds])
    .orderBy('tenant_id')
    .orderBy('application_id')
    .orderBy('resource')
    .orderBy('permission_id')
    .orderBy('kind')
    .limit(limit)
    .execute()
}

/** Removes what people of all tenants allowed an application of one delegated permission; how many did. */
export async function deletePermissionConsents(
  tx: Statements,
  permission: { application_id: string; resource: string; permission_id: string },
): Promise<number> {
  const removed = await tx
    .deleteFrom('user_consents')
    .where('application_id', '=', permission.application_id)
    .where('resource', '=', permission.resource)
    .where('permission_id', '=', permission.permission_id)
    .returning('user_id')
    .execute()
  return removed.length
}
