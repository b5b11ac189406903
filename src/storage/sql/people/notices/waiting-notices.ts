// Notices that wait to be mailed: a row for each event of the ledger and reader, written with the cursor in one
// transaction, and gone when the mail server took it. Migration 35; it only adds.

import type { Tables } from '../../rows/tables.js'
import type { Migration } from '../../schema/schema-history.js'
import type { Statements } from '../../store.js'

/** Creates the table. */
export const waitingNoticeTable: Migration = {
  version: 35,
  name: 'notices that wait',
  statements: [
    `create table waiting_notices (
      position bigint not null, user_id text not null references users (id) on delete cascade, email text not null,
      language text not null, kind text not null, created_at bigint not null, attempts bigint not null,
      next_at bigint not null, primary key (position, user_id))`,
    'create index waiting_notices_by_turn on waiting_notices (next_at)',
    'create index waiting_notices_by_reader on waiting_notices (user_id, kind)',
    'create index waiting_notices_by_time on waiting_notices (created_at)',
  ],
}

export type WaitingNotice = Tables['waiting_notices']
type Key = Pick<WaitingNotice, 'position' | 'user_id'>

/** Adds one, unless it waits already, or its reader has `most` of its kind waiting; false then. */
export async function addNotice(tx: Statements, row: WaitingNotice, most: number): Promise<boolean> {
  const [found] = await tx
    .selectFrom('waiting_notices')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('user_id', '=', row.user_id)
    .where('kind', '=', row.kind)
    .execute()
  if (Number(found?.n) >= most) return false
  await tx
    .insertInto('waiting_notices')
    .values(row)
    .onConflict((conflict) => conflict.columns(['position', 'user_id']).doNothing())
    .execute()
  return true
}

/** Those whose turn has come, the longest due first. */
export async function listDueNotices(reader: Statements, nowMs: number, limit: number): Promise<WaitingNotice[]> {
  return reader
    .selectFrom('waiting_notices')
    .selectAll()
    .where('next_at', '<=', nowMs)
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
export async function deleteNotice(tx: Statements, { position, user_id }: Key): Promise<void> {
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
