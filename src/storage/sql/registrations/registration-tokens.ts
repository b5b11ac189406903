// Queries of initial access tokens. Only the hash of a token is in a row.

import type { Tables } from '../rows/tables.js'
import type { Statements } from '../store.js'

export type RegistrationTokenRow = Tables['registration_tokens']

/** Adds a token; its hash is new. */
export async function insertRegistrationToken(tx: Statements, row: RegistrationTokenRow): Promise<void> {
  await tx.insertInto('registration_tokens').values(row).execute()
}

/**
 * The tokens with this hash, or of a tenant (of all when it is undefined) the oldest first; those that ended among
 * them.
 */
export async function readRegistrationTokens(
  statements: Statements,
  filter: { hash: string } | { id: string } | { tenantId: string | undefined },
): Promise<RegistrationTokenRow[]> {
  let rows = statements.selectFrom('registration_tokens').selectAll()
  if ('hash' in filter) rows = rows.where('hash', '=', filter.hash)
  else if ('id' in filter) rows = rows.where('id', '=', filter.id)
  else if (filter.tenantId !== undefined) rows = rows.where('tenant_id', '=', filter.tenantId)
  return rows.orderBy('created_at').orderBy('id').execute()
}

/** Takes one use away, of a token that has one left and has not ended; undefined when it could not be. */
export async function takeRegistrationUse(
  tx: Statements,
  hash: string,
  atMs: number,
): Promise<RegistrationTokenRow | undefined> {
  return tx
    .updateTable('registration_tokens')
    .set((row) => ({ uses_left: row('uses_left', '-', 1) }))
    .where('hash', '=', hash)
    .where('uses_left', '>', 0)
    .where('expires_at', '>', atMs)
    .returningAll()
    .executeTakeFirst()
}

/** Deletes the token with this id, or a batch of those that ended before a time; the rows that went. */
export async function deleteRegistrationTokens(
  tx: Statements,
  which: { id: string } | { endedBefore: number; limit: number },
): Promise<RegistrationTokenRow[]> {
  const rows = tx.deleteFrom('registration_tokens').returningAll()
  if ('id' in which) return rows.where('id', '=', which.id).execute()
  return rows
    .where('id', 'in', (those) =>
      those
        .selectFrom('registration_tokens')
        .select('id')
        .where('expires_at', '<', which.endedBefore)
        .orderBy('expires_at')
        .limit(which.limit),
    )
    .execute()
}
