// Queries of the change log: the tables feed_head and changes. What writes to it is in change-log.ts.

import type { Statements } from '../store.js'

/** A row of the log: its number, its time (epoch ms) and the JSON of its entry. */
export interface ChangeRow {
  seq: number
  at: number
  body: string
}

/** The newest number of the log, as of `statements`. */
export async function readHead(statements: Statements): Promise<number> {
  const row = await statements.selectFrom('feed_head').select('seq').where('id', '=', 1).executeTakeFirstOrThrow()
  return row.seq
}

/**
 * Locks the log for the rest of the transaction and returns its newest number. The transaction that holds the row is
 * the only one that numbers, so numbers grow in the order of the commits; a serial column would let a later number be
 * seen first.
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

/** The rows after `seq`, oldest first, at most `limit`. */
export async function readChanges(statements: Statements, seq: number, limit: number): Promise<ChangeRow[]> {
  return statements.selectFrom('changes').selectAll().where('seq', '>', seq).orderBy('seq').limit(limit).execute()
}
