// Queries of what people allowed applications: exactly (user, application, tenant, resource, permission), each a row.

import type { Tables } from '../rows/tables.js'
import type { Statements } from '../store.js'

export type UserConsentRow = Tables['user_consents']

/** Which rows are meant: all columns given must fit. */
export interface UserConsentFilter {
  user_id?: string | undefined
  application_id?: string | undefined
  tenant_id?: string | undefined
}

/** A person's or an application's consents, by application, tenant, resource and permission. */
export async function listUserConsents(
  statements: Statements,
  filter: UserConsentFilter,
  limit: number,
): Promise<UserConsentRow[]> {
  let query = statements.selectFrom('user_consents').selectAll()
  for (const column of ['user_id', 'application_id', 'tenant_id'] as const) {
    const value = filter[column]
    if (value !== undefined) query = query.where(column, '=', value)
  }
  return query
    .orderBy('application_id')
    .orderBy('tenant_id')
    .orderBy('user_id')
    .orderBy('resource')
    .orderBy('permission_id')
    .limit(limit)
    .execute()
}

/** Records consents; one that exists keeps its time. */
export async function insertUserConsents(tx: Statements, rows: readonly UserConsentRow[]): Promise<void> {
  if (rows.length === 0) return
  await tx
    .insertInto('user_consents')
    .values([...rows])
    .onConflict((conflict) =>
      conflict.columns(['user_id', 'application_id', 'tenant_id', 'resource', 'permission_id']).doNothing(),
    )
    .execute()
}

/** Removes the consents to one application in one tenant, of one person or of everybody; what was removed. */
export async function deleteUserConsents(
  tx: Statements,
  filter: { application_id: string; tenant_id: string; user_id?: string | undefined },
): Promise<UserConsentRow[]> {
  let query = tx
    .deleteFrom('user_consents')
    .where('application_id', '=', filter.application_id)
    .where('tenant_id', '=', filter.tenant_id)
  if (filter.user_id !== undefined) query = query.where('user_id', '=', filter.user_id)
  const removed = await query.returningAll().execute()
  const key = (row: UserConsentRow) => [row.user_id, row.resource, row.permission_id].join(' ')
  return removed.sort((a, b) => (key(a) < key(b) ? -1 : 1))
}

/**
 * Which applications hold something for a person now, in which tenant, since when, and when they last got a token for
 * it.
 */
export async function listHeldGrants(
  statements: Statements,
  userId: string,
): Promise<{ application_id: string; tenant_id: string; since: number; last_used_at: number }[]> {
  const rows = await statements
    .selectFrom('grants')
    .leftJoin('refresh_tokens', 'refresh_tokens.grant_id', 'grants.id')
    .where('grants.user_id', '=', userId)
    .where('grants.state', '=', 'active')
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
