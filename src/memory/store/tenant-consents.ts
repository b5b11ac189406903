// Queries of what administrators allowed in tenants, by tenant.

import type { Statements } from './store.js'
import type { Tables } from './tables.js'

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
