// Whether somebody is still signed in, where nobody can change the answer meanwhile.

import { readSessions } from '../../storage/sql/people/sessions.js'
import type { Statements } from '../../storage/sql/store.js'
import type { Session } from '../records.js'

/** What tells a session of a person from their others; it may go on under another id. */
export type SessionName = Pick<Session, 'idHash' | 'createdAt'>

/**
 * Whether the session is there still, and the person is enabled. For a transaction that writes: how long a session lives
 * was looked at when the request came. Throws StoreUnavailable.
 */
export async function isSignedIn(tx: Statements, userId: string, session: SessionName): Promise<boolean> {
  const rows = await readSessions(tx, { userId })
  return rows.some(
    (row) =>
      row.user_state === 'enabled' && (row.id_hash === session.idHash || Number(row.created_at) === session.createdAt),
  )
}
