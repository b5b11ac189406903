// Sessions and one-time links that nobody can use any more leave, in bounded batches.

import type { Statements } from '../store.js'

/**
 * Deletes sessions that ended before `endedBefore` or were last used before `idleBefore` (epoch ms), at most `limit`;
 * how many.
 */
export async function deleteDeadSessions(
  tx: Statements,
  dead: { endedBefore: number; idleBefore: number },
  limit: number,
): Promise<number> {
  const rows = await tx
    .selectFrom('sessions')
    .select('id_hash')
    .where((where) =>
      where.or([where('expires_at', '<', dead.endedBefore), where('last_seen_at', '<', dead.idleBefore)]),
    )
    .orderBy('id_hash')
    .limit(limit)
    .execute()
  const hashes = rows.map((row) => row.id_hash)
  if (hashes.length === 0) return 0
  const deleted = await tx
    .deleteFrom('sessions')
    .where('id_hash', 'in', hashes)
    // Said again for the row itself: it may have been used since it was chosen.
    .where((where) =>
      where.or([where('expires_at', '<', dead.endedBefore), where('last_seen_at', '<', dead.idleBefore)]),
    )
    .executeTakeFirst()
  return Number(deleted.numDeletedRows)
}

/** Deletes links that ended before `endedBefore` (epoch ms), used or not, at most `limit`; how many. */
export async function deleteDeadLinks(tx: Statements, endedBefore: number, limit: number): Promise<number> {
  const rows = await tx
    .selectFrom('one_time_links')
    .select('hash')
    .where('expires_at', '<', endedBefore)
    .orderBy('expires_at')
    .orderBy('hash')
    .limit(limit)
    .execute()
  const hashes = rows.map((row) => row.hash)
  if (hashes.length > 0) await tx.deleteFrom('one_time_links').where('hash', 'in', hashes).execute()
  return hashes.length
}
