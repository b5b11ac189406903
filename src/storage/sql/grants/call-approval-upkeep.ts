// What is taken away of calls that waited for a person.

import type { Statements } from '../store.js'

/** Deletes those that ended before `before`, at most `limit`; returns how many. */
export async function pruneCallApprovals(tx: Statements, before: number, limit: number): Promise<number> {
  const result = await tx
    .deleteFrom('call_approvals')
    .where('id', 'in', (ended) =>
      ended
        .selectFrom('call_approvals')
        .select('id')
        .where('expires_at', '<', before)
        .orderBy('expires_at')
        .orderBy('id')
        .limit(limit),
    )
    .executeTakeFirst()
  return Number(result.numDeletedRows)
}
