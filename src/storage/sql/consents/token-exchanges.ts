// Queries of what applications got for a person on the calls of others: a row for each resource, with all that they ever
// got of it.

import type { Tables } from '../rows/tables.js'
import type { Statements } from '../store.js'

export type TokenExchangeRow = Tables['token_exchanges']

type Key = Pick<TokenExchangeRow, 'user_id' | 'tenant_id' | 'application_id' | 'caller_id' | 'resource'>

/** The row of exactly these, or undefined. */
export async function readTokenExchange(statements: Statements, key: Key): Promise<TokenExchangeRow | undefined> {
  let query = statements.selectFrom('token_exchanges').selectAll()
  for (const column of ['user_id', 'tenant_id', 'application_id', 'caller_id', 'resource'] as const) {
    query = query.where(column, '=', key[column])
  }
  return query.executeTakeFirst()
}

/** Writes a row; of one that is there, the permissions and the last time change. */
export async function putTokenExchange(tx: Statements, row: TokenExchangeRow): Promise<void> {
  const { permissions, last_at } = row
  await tx
    .insertInto('token_exchanges')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['user_id', 'tenant_id', 'application_id', 'caller_id', 'resource'])
        .doUpdateSet({ permissions, last_at }),
    )
    .execute()
}

/** What applications got for a person, by application, tenant, caller and resource. */
export async function listTokenExchanges(
  statements: Statements,
  userId: string,
  limit: number,
): Promise<TokenExchangeRow[]> {
  return statements
    .selectFrom('token_exchanges')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('tenant_id')
    .orderBy('application_id')
    .orderBy('caller_id')
    .orderBy('resource')
    .limit(limit)
    .execute()
}

/**
 * Forgets what an application got in a tenant, for one person or for everybody, and what others got on its calls; how
 * many rows it had itself.
 */
export async function deleteTokenExchanges(
  tx: Statements,
  { applicationId, tenantId, userId }: { applicationId: string; tenantId: string; userId?: string | undefined },
): Promise<number> {
  let own = 0
  for (const column of ['application_id', 'caller_id'] as const) {
    let query = tx.deleteFrom('token_exchanges').where(column, '=', applicationId).where('tenant_id', '=', tenantId)
    if (userId !== undefined) query = query.where('user_id', '=', userId)
    const { numDeletedRows } = await query.executeTakeFirstOrThrow()
    if (column === 'application_id') own = Number(numDeletedRows)
  }
  return own
}
