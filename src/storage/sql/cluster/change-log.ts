// What writes to the change log: adding at its end, forgetting at its beginning. Reading it is in changes.ts.

import type { Statements } from '../store.js'
import type { ChangeRow } from './changes.js'

/** Adds rows whose numbers follow the head, and moves the head to the last of them. After lockHead. */
export async function appendChanges(tx: Statements, rows: readonly ChangeRow[]): Promise<void> {
  const last = rows.at(-1)
  if (last === undefined) return
  await tx
    .insertInto('changes')
    .values([...rows])
    .execute()
  await tx.updateTable('feed_head').set({ seq: last.seq }).where('id', '=', 1).execute()
}

/**
 * Deletes the oldest rows that were written before `before` (epoch ms), at most `limit`; returns how many. Only a
 * beginning of the log goes, so that what is left has no holes even if the writers' clocks disagree.
 */
export async function pruneChanges(tx: Statements, before: number, limit: number): Promise<number> {
  const oldest = await tx.selectFrom('changes').select(['seq', 'at']).orderBy('seq').limit(limit).execute()
  const firstKept = oldest.findIndex((row) => row.at >= before)
  const last = (firstKept === -1 ? oldest : oldest.slice(0, firstKept)).at(-1)
  if (last === undefined) return 0
  const result = await tx.deleteFrom('changes').where('seq', '<=', last.seq).executeTakeFirst()
  return Number(result.numDeletedRows)
}
