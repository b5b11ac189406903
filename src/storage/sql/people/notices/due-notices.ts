// Notices whose turn to be mailed has come, and what becomes of them.

import type { Statements } from '../../store.js'
import type { WaitingNotice } from './waiting-notices.js'

/** Those whose turn has come, of events until the position `until`, the longest due first. */
export async function listDueNotices(
  reader: Statements,
  { nowMs, until, limit }: { nowMs: number; until: number; limit: number },
): Promise<WaitingNotice[]> {
  return reader
    .selectFrom('waiting_notices')
    .selectAll()
    .where('next_at', '<=', nowMs)
    .where('position', '<=', until)
    .orderBy('next_at')
    .orderBy('position')
    .orderBy('user_id')
    .limit(limit)
    .execute()
}

/** Sets when its turn is next, and how often it was tried; false when somebody else did since it was read, or it is gone. */
export async function moveNotice(
  tx: Statements,
  { position, user_id, attempts, next_at }: WaitingNotice,
  change: { attempts: number; next_at: number },
): Promise<boolean> {
  const moved = await tx
    .updateTable('waiting_notices')
    .set(change)
    .where('position', '=', position)
    .where('user_id', '=', user_id)
    .where('attempts', '=', attempts)
    .where('next_at', '=', next_at)
    .returning('position')
    .executeTakeFirst()
  return moved !== undefined
}

/** It was sent, or nobody is to read it any more. */
export async function deleteNotice(
  tx: Statements,
  { position, user_id }: Pick<WaitingNotice, 'position' | 'user_id'>,
): Promise<void> {
  await tx.deleteFrom('waiting_notices').where('position', '=', position).where('user_id', '=', user_id).execute()
}

/** Deletes those that were written before `beforeMs`, at most `limit`; how many. */
export async function deleteOldNotices(tx: Statements, beforeMs: number, limit: number): Promise<number> {
  const old = await tx
    .selectFrom('waiting_notices')
    .select(['position', 'user_id'])
    .where('created_at', '<', beforeMs)
    .limit(limit)
    .execute()
  for (const key of old) await deleteNotice(tx, key)
  return old.length
}
