// Queries of the change log: the tables feed_head and changes.

import type { Statements } from './store.js'

/** A row of the log: its number, its time (epoch ms) and the JSON of its entry. */
export interface ChangeRow {
  seq: number
  at: number
  body: string
}

/**
 * The newest number of the log, as of `statements`. Inside a writing transaction it is also the lock: see lockHead.
 */
export async function readHead(statements: Statements): Promise<number> {
  const row = await statements.selectFrom('feed_head').select('seq').where('id', '=', 1).executeTakeFirstOrThrow()
  return row.seq
}

/**
 * Locks the log for the rest of the transaction and returns its newest number. Whoever holds the row is the only one who
 * numbers, so numbers grow in the order of the commits; a serial column would let a later number be seen first.
 */
export async function lockHead(tx: Statements): Promise<number> {
  const row = await tx
    .updateTable('feed_head')
    .set((eb) => ({ seq: eb.ref('seq') }))
    .where('id', '=', 1)
    .returning('seq')
    .executeTakeFirstOrThrow()
  return row.seq
}

/** Adds rows whose numbers follow the head, and moves the head to the last of them. After lockHead. */
export async function appendChanges(tx: Statements, rows: readonly ChangeRow[]): Promise<void> {
  const last = rows.at(-1)
  if (last === undefined) return
  await tx.insertInto('changes').values([...rows]).execute()
  await tx.updateTable('feed_head').set({ seq: last.seq }).where('id', '=', 1).execute()
}

/** The rows after `seq`, oldest first, at most `limit`. */
export async function readChanges(statements: Statements, seq: number, limit: number): Promise<ChangeRow[]> {
  return statements.selectFrom('changes').selectAll().where('seq', '>', seq).orderBy('seq').limit(limit).execute()
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
