// Queries of signed-in browsers. Only the hash of what the cookie says is in a row.

import type { Tables } from '../rows/tables.js'
import type { Statements } from '../store.js'

export type SessionRow = Tables['sessions']

/** A session with the state of its user. */
export interface StoredSession extends SessionRow {
  user_state: string
}

/** Adds a session; its hash is new. */
export async function insertSession(tx: Statements, row: SessionRow): Promise<void> {
  await tx.insertInto('sessions').values(row).execute()
}

/** The session with this hash, or all of a user, the one that was used last first. What is over is among them. */
export async function readSessions(
  statements: Statements,
  filter: { idHash: string } | { userId: string },
): Promise<StoredSession[]> {
  const rows = statements
    .selectFrom('sessions')
    .innerJoin('users', 'users.id', 'sessions.user_id')
    .selectAll('sessions')
    .select('users.state as user_state')
  const found =
    'idHash' in filter
      ? rows.where('sessions.id_hash', '=', filter.idHash)
      : rows.where('sessions.user_id', '=', filter.userId)
  return found.orderBy('sessions.last_seen_at', 'desc').orderBy('sessions.id_hash').execute()
}

/** Notes that it was used, never moving the time backwards. */
export async function touchSession(tx: Statements, idHash: string, atMs: number): Promise<void> {
  await tx
    .updateTable('sessions')
    .set({ last_seen_at: atMs })
    .where('id_hash', '=', idHash)
    .where('last_seen_at', '<', atMs)
    .execute()
}

/** Ends the session with this hash (of this user, when one is named), or all of a user but one; how many. */
export async function deleteSessions(
  tx: Statements,
  filter: { idHash: string; userId?: string } | { userId: string; except?: string | undefined },
): Promise<number> {
  let sessions = tx.deleteFrom('sessions')
  if (filter.userId !== undefined) sessions = sessions.where('user_id', '=', filter.userId)
  if ('idHash' in filter) sessions = sessions.where('id_hash', '=', filter.idHash)
  else if (filter.except !== undefined) sessions = sessions.where('id_hash', '!=', filter.except)
  return Number((await sessions.executeTakeFirst()).numDeletedRows)
}
