// The session that a caller of the management API has who is only said to be at the portal.

import { insertSession, readSessions } from '../../../src/storage/sql/people/sessions.js'
import { readUser } from '../../../src/storage/sql/people/users.js'
import type { Statements, Store } from '../../../src/storage/sql/store.js'
import type { SessionName } from '../../../src/users/sessions/signed-in.js'

/** The one session of a person in such tests. */
export function portalSession(userId: string): SessionName {
  return { idHash: `portal ${userId}`, createdAt: 0 }
}

/** Signs the person in again when the session is not there. It is in no list, because it is over. */
export async function signInAtPortal(
  store: Store,
  { session: { idHash }, userId }: { session: SessionName; userId: string },
): Promise<void> {
  const isThere = async (tx: Statements) => (await readSessions(tx, { idHash })).length > 0
  const user = (await isThere(store.reader)) ? undefined : await readUser(store.reader, 'id', userId)
  if (user?.state !== 'enabled') return
  const long = { created_at: 0, last_seen_at: 0, expires_at: 0, authenticated_at: 0 }
  const how = { acr: '1', amr: '[]', sign_in_way: '', user_agent: '', address: '' }
  const session = { id_hash: idHash, user_id: user.id, ...long, ...how }
  await store.transaction(async (tx) => (await isThere(tx)) || (await insertSession(tx, session)))
}
