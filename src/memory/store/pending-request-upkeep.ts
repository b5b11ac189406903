// Keeping the pending requests few: most people never come back to what they left.

import type { Statements } from './store.js'

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

/**
 * Removes up to `most` of those beyond the newest `kept`, the oldest first; answers how many. Anybody can begin a request, so
 * their number is bounded here and not by who asks.
 */
export async function deleteOldestPendingRequests(tx: Statements, kept: number, most: number): Promise<number> {
  const newest = tx.selectFrom('pending_requests').select('created_at').orderBy('created_at', 'desc')
  const first = await newest.offset(kept).limit(1).executeTakeFirst()
  if (first === undefined) return 0
  const oldest = await tx
    .selectFrom('pending_requests')
    .select('id_hash')
    .where('created_at', '<=', first.created_at)
    .orderBy('created_at')
    .orderBy('id_hash')
    .limit(most)
    .execute()
  const hashes = oldest.map((row) => row.id_hash)
  await tx.deleteFrom('pending_requests').where('id_hash', 'in', hashes).execute()
  return hashes.length
}
