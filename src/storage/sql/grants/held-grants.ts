// Queries of what applications hold for a person now.

import type { Statements } from '../store.js'

/**
 * Which applications hold something for a person now, in which tenant, since when, and when they last got a token for
 * it.
 */
export async function listHeldGrants(
  statements: Statements,
  userId: string,
  nowMs: number,
): Promise<{ application_id: string; tenant_id: string; since: number; last_used_at: number }[]> {
  const rows = await statements
    .selectFrom('grants')
    .leftJoin('refresh_tokens', 'refresh_tokens.grant_id', 'grants.id')
    .where('grants.user_id', '=', userId)
    .where('grants.state', '=', 'active')
    .where((where) => where.or([where('grants.ends_at', 'is', null), where('grants.ends_at', '>', nowMs)]))
    .groupBy(['grants.application_id', 'grants.tenant_id'])
    .select(['grants.application_id', 'grants.tenant_id'])
    .select(({ fn }) => [
      fn.min('grants.created_at').as('since'),
      fn.max('grants.created_at').as('last_granted_at'),
      fn.max('refresh_tokens.created_at').as('last_refreshed_at'),
    ])
    .orderBy('grants.application_id')
    .orderBy('grants.tenant_id')
    .execute()
  return rows.map((row) => ({
    application_id: row.application_id,
    tenant_id: row.tenant_id,
    since: Number(row.since),
    last_used_at: Math.max(Number(row.last_granted_at), Number(row.last_refreshed_at ?? 0)),
  }))
}
