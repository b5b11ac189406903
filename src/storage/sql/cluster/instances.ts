// Queries of the instances that share this Store. Times are epoch milliseconds by each instance's own clock: nothing
// but pruning compares them.

import type { Statements } from '../store.js'

/** One of the instances; times in epoch milliseconds by its own clock. */
export interface InstanceRow {
  id: string
  /** For people. */
  name: string
  startedAt: number
  seenAt: number
  /** The newest change that it has applied. */
  appliedSeq: number
}

/** Says that an instance lives, and what it has applied. */
export async function noteInstance(tx: Statements, row: InstanceRow): Promise<void> {
  const { id, name, startedAt, seenAt, appliedSeq } = row
  await tx
    .insertInto('instances')
    .values({ id, name, started_at: startedAt, seen_at: seenAt, applied_seq: appliedSeq })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({ name, started_at: startedAt, seen_at: seenAt, applied_seq: appliedSeq }),
    )
    .execute()
}

/** Removes an instance that has ended; nothing happens when it is not there. */
export async function removeInstance(tx: Statements, id: string): Promise<void> {
  await tx.deleteFrom('instances').where('id', '=', id).execute()
}

/** The instances that were seen after `seenAfter`, by id. */
export async function listInstances(statements: Statements, seenAfter: number): Promise<InstanceRow[]> {
  return statements
    .selectFrom('instances')
    .select(['id', 'name', 'started_at as startedAt', 'seen_at as seenAt', 'applied_seq as appliedSeq'])
    .where('seen_at', '>', seenAfter)
    .orderBy('id')
    .execute()
}

/** Deletes instances last seen before `before`, at most `limit`, the longest unseen first; returns how many. */
export async function pruneInstances(tx: Statements, before: number, limit: number): Promise<number> {
  const result = await tx
    .deleteFrom('instances')
    .where('id', 'in', (silent) =>
      silent
        .selectFrom('instances')
        .select('id')
        .where('seen_at', '<', before)
        .orderBy('seen_at')
        .orderBy('id')
        .limit(limit),
    )
    // Said again for the row itself: an instance may have noted itself since it was chosen.
    .where('seen_at', '<', before)
    .executeTakeFirst()
  return Number(result.numDeletedRows)
}
