// Clearing up half sign-ins: most people never come back to what they left.

import type { Statements } from '../store.js'

/** Removes up to `most` that ended by `now` (epoch ms), the oldest first; answers how many there were. */
export async function deleteEndedPendingRequests(tx: Statements, now: number, most: number): Promise<number> {
  const ended = await tx
    .selectFrom('pending_requests')
    .select('id_hash')
    .where('expires_at', '<=', now)
    .orderBy('expires_at')
    .limit(most)
    .execute()
  const hashes = ended.map((row) => row.id_hash)
  if (hashes.length > 0) await tx.deleteFrom('pending_requests').where('id_hash', 'in', hashes).execute()
  return hashes.length
}
