// Queries of addresses that wait to be confirmed, and of who vouched for one.

import type { Tables } from '../rows/tables.js'
import type { Statements } from '../store.js'

export type EmailChangeRow = Tables['email_changes']

/** Puts what a person asks for in place of what they requested before. */
export async function putEmailChange(tx: Statements, row: EmailChangeRow): Promise<void> {
  await deleteEmailChange(tx, row.user_id)
  await tx.insertInto('email_changes').values(row).execute()
}

/** What these people wait for at `atMs`. */
export async function readEmailChanges(
  statements: Statements,
  userIds: readonly string[],
  atMs: number,
): Promise<EmailChangeRow[]> {
  if (userIds.length === 0) return []
  const rows = statements.selectFrom('email_changes').selectAll().where('user_id', 'in', userIds)
  return rows.where('expires_at', '>', atMs).execute()
}

/** Forgets it; how many there were. */
export async function deleteEmailChange(tx: Statements, userId: string): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('email_changes')
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

/** Forgets those that ended before `endedBefore`, at most `limit`; how many. */
export async function deleteDeadEmailChanges(tx: Statements, endedBefore: number, limit: number): Promise<number> {
  const dead = tx.selectFrom('email_changes').select('user_id').where('expires_at', '<', endedBefore)
  const rows = await dead.orderBy('expires_at').limit(limit).execute()
  const ids = rows.map((row) => row.user_id)
  if (ids.length > 0) await tx.deleteFrom('email_changes').where('user_id', 'in', ids).execute()
  return ids.length
}
