// Queries of new redirect origins that no administrator was written to about yet.

import type { Statements } from '../../store.js'
import type { NewOriginRow } from './new-origins.js'

/** Tenants with origins of which nobody was told, at most `limit`. */
export async function readUnannouncedTenants(statements: Statements, limit: number): Promise<string[]> {
  const rows = await statements
    .selectFrom('new_redirect_origins')
    .select('tenant_id')
    .distinct()
    .where('told_at', 'is', null)
    .orderBy('tenant_id')
    .limit(limit)
    .execute()
  return rows.map((row) => row.tenant_id)
}

/** Of a tenant, those that nobody was told of. */
export async function readUnannouncedOrigins(statements: Statements, tenantId: string): Promise<NewOriginRow[]> {
  return statements
    .selectFrom('new_redirect_origins')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('told_at', 'is', null)
    .execute()
}

/** Says that administrators were told of everything that was added up to a time. */
export async function setOriginsAnnounced(
  tx: Statements,
  { tenantId, until, at }: { tenantId: string; until: number; at: number },
): Promise<void> {
  await tx
    .updateTable('new_redirect_origins')
    .set({ told_at: at })
    .where('tenant_id', '=', tenantId)
    .where('told_at', 'is', null)
    .where('added_at', '<=', until)
    .execute()
}
