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

/** How many of its kind wait for its reader. */
export async function countNotices(
  statements: Statements,
  { user_id, kind }: Pick<WaitingNotice, 'user_id' | 'kind'>,
): Promise<number> {
  const found = await statements
    .selectFrom('waiting_notices')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('user_id', '=', user_id)
    .where('kind', '=', kind)
    .executeTakeFirst()
  return Number(found?.n ?? 0)
}

/** Adds one, unless it waits already, or its reader has `most` of its kind waiting; false then. */
export async function addNotice(tx: Statements, row: WaitingNotice, most: number): Promise<boolean> {
  if ((await countNotices(tx, row)) >= most) return false
  await tx
    .insertInto('waiting_notices')
    .values(row)
    .onConflict((conflict) => conflict.columns(['position', 'user_id']).doNothing())
    .execute()
  return true
}

/**
 * Adds those of one event and kind, a row for each reader, but none that waits already, and none for a reader who has
 * `most` of the kind waiting. Two statements, however many readers.
 */
export async function addNotices(tx: Statements, rows: readonly WaitingNotice[], most: number): Promise<void> {
  const [first] = rows
  if (first === undefined) return
  const readers = rows.map(({ user_id }) => user_id)
  const full = await tx
    .selectFrom('waiting_notices')
    .select('user_id')
    .where('user_id', 'in', readers)
    .where('kind', '=', first.kind)
    .groupBy('user_id')
    .having((eb) => eb(eb.fn.countAll(), '>=', most))
    .execute()
  const without = new Set(full.map(({ user_id }) => user_id))
  const added = rows.filter(({ user_id }) => !without.has(user_id))
  if (added.length === 0) return
  await tx
    .insertInto('waiting_notices')
    .values(added)
    .onConflict((conflict) => conflict.columns(['position', 'user_id']).doNothing())
    .execute()
}
