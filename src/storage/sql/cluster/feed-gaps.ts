// Rows of `feed_gaps`: numbers that the change log never gave. Tokens that carry one come from a copy of the Store that
// is no more: what was committed after a back-up that was restored, or before a failover that lost it (decision 0091).

import type { Statements } from '../store.js'

/** Above `after` and below `until` nothing was ever numbered; both are numbers of the log. */
export interface FeedGap {
  after: number
  until: number
}

/** More are not remembered: an instance that starts again and again for days. */
const MOST_GAPS = 10_000

/** Notes a gap that the transaction makes, at `at` (epoch ms). */
export async function insertGap(tx: Statements, { after, until }: FeedGap, at: number): Promise<void> {
  await tx.insertInto('feed_gaps').values({ until_seq: until, after_seq: after, at }).execute()
}

/** The newest gaps, oldest first. */
export async function listGaps(statements: Statements): Promise<FeedGap[]> {
  const rows = await statements
    .selectFrom('feed_gaps')
    .select(['after_seq', 'until_seq'])
    .orderBy('until_seq', 'desc')
    .limit(MOST_GAPS)
    .execute()
  return rows.reverse().map((row) => ({ after: Number(row.after_seq), until: Number(row.until_seq) }))
}

/** Deletes up to `limit` gaps that were made before `beforeMs`; how many. */
export async function pruneGaps(tx: Statements, beforeMs: number, limit: number): Promise<number> {
  const old = tx
    .selectFrom('feed_gaps')
    .select('until_seq')
    .where('at', '<', beforeMs)
    .orderBy('until_seq')
    .limit(limit)
  const result = await tx.deleteFrom('feed_gaps').where('until_seq', 'in', old).executeTakeFirst()
  return Number(result.numDeletedRows)
}
