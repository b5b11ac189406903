// How far the ledger has been read for notices to people, and who wants which. Migration 32; it only adds.

import type { Migration } from '../../schema/schema-history.js'
import type { Statements } from '../../store.js'

/** Begins where the ledger ends: nobody gets mail about the past. */
export const noticeTables: Migration = {
  version: 32,
  name: 'notices',
  statements: [
    'create table notice_cursor (id bigint primary key check (id = 1), position bigint not null)',
    'insert into notice_cursor (id, position) select 1, position from ledger_head where id = 1',
    'alter table users add column work_mail integer not null default 1',
  ],
}

/** The position of the last row that was read. */
export async function readNoticeCursor(statements: Statements): Promise<number> {
  const row = await statements.selectFrom('notice_cursor').select('position').where('id', '=', 1).executeTakeFirst()
  return Number(row?.position ?? 0)
}

/** Moves it on; false when somebody else has meanwhile. */
export async function moveNoticeCursor(tx: Statements, from: number, to: number): Promise<boolean> {
  const moved = await tx
    .updateTable('notice_cursor')
    .set({ position: to })
    .where('id', '=', 1)
    .where('position', '=', from)
    .returning('id')
    .executeTakeFirst()
  return moved !== undefined
}

/** Where a person reads mail, and the tag of the language in which; empty: they did not say. */
export interface Reader {
  userId: string
  email: string
  language: string
}

/** Of these people the enabled ones who have an address and take such mail. */
export async function readReaders(
  statements: Statements,
  userIds: readonly string[],
  isWork: boolean,
): Promise<Reader[]> {
  if (userIds.length === 0) return []
  let users = statements
    .selectFrom('users')
    .select(['id', 'email', 'language'])
    .where('id', 'in', [...userIds])
    .where('state', '=', 'enabled')
    .where('email', '<>', '')
  if (isWork) users = users.where('work_mail', '=', 1)
  return (await users.orderBy('id').execute()).map(({ id, ...rest }) => ({ userId: id, ...rest }))
}
