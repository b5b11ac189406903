// Which grants nothing lives of any more, and how they leave with all that hangs on them.

import type { Statements } from '../store.js'

/** Epoch milliseconds: what ended before them is dead. */
export interface GrantEnds {
  /** Of grants that ended, and of the last refresh token of the others. */
  endedBefore: number
  /** Of grants without refresh tokens, whose code and access token end a while after. */
  createdBefore: number
}

/** Up to `limit` grants of which nothing lives, oldest first. */
export async function listDeadGrants(reader: Statements, ends: GrantEnds, limit: number): Promise<string[]> {
  const { endedBefore, createdBefore } = ends
  const rows = await reader
    .selectFrom('grants')
    .select('id')
    .where('created_at', '<', Math.max(endedBefore, createdBefore))
    .where((where) =>
      where.or([
        where.and([where('state', '=', 'ended'), where('ended_at', '<', endedBefore)]),
        where.and([where('expires_at', '=', 0), where('created_at', '<', createdBefore)]),
        where.and([
          where('expires_at', '>', 0),
          where.or([where('expires_at', '<', endedBefore), where('idle_expires_at', '<', endedBefore)]),
        ]),
      ]),
    )
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/** Deletes grants with their codes and refresh tokens, in one order for everybody. */
export async function deleteGrants(tx: Statements, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const sorted = [...ids].sort()
  await tx.deleteFrom('authorization_codes').where('grant_id', 'in', sorted).execute()
  await tx.deleteFrom('refresh_tokens').where('grant_id', 'in', sorted).execute()
  await tx.deleteFrom('grants').where('id', 'in', sorted).execute()
}
