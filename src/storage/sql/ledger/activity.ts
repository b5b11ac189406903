// Queries of the activity log: what failed or was refused. It is capped, so its oldest rows go.

import type { Tables } from '../rows/tables.js'
import type { Statements } from '../store.js'
import { conditionsOf, type LedgerFilter } from './ledger-filter.js'

export type ActivityRow = Tables['activity']

/** Where a page ended: the sort keys of its last row. */
export interface ActivityPlace {
  at: number
  id: string
}

/** Adds rows; their ids are new. At most a hundred at a time. */
export async function insertActivity(tx: Statements, rows: readonly ActivityRow[]): Promise<void> {
  if (rows.length === 0) return
  await tx
    .insertInto('activity')
    .values([...rows])
    .execute()
}

/** A page of what `filter` asks for, newest first unless `order` says so; `place` is the last row of the page before. */
export async function listActivity(
  statements: Statements,
  options: {
    filter: LedgerFilter
    place?: ActivityPlace | undefined
    order?: 'newest' | 'oldest' | undefined
    limit: number
  },
): Promise<ActivityRow[]> {
  const { filter, place, order, limit } = options
  const [beyond, direction] = order === 'oldest' ? (['>', 'asc'] as const) : (['<', 'desc'] as const)
  let query = statements.selectFrom('activity').selectAll()
  if (place !== undefined) {
    query = query.where(({ eb, refTuple, tuple }) => eb(refTuple('at', 'id'), beyond, tuple(place.at, place.id)))
  }
  for (const [column, operator, value] of conditionsOf(filter)) query = query.where(column, operator, value)
  const rows = await query.orderBy('at', direction).orderBy('id', direction).limit(limit).execute()
  return rows.map((row) => ({ ...row, at: Number(row.at) }))
}

/** Deletes the oldest rows beyond the newest `kept`, at most `limit` of them; returns how many. */
export async function pruneActivity(tx: Statements, kept: number, limit: number): Promise<number> {
  const newest = tx.selectFrom('activity').select(['at', 'id']).orderBy('at', 'desc').orderBy('id', 'desc')
  const last = await newest.offset(kept).limit(1).executeTakeFirst()
  if (last === undefined) return 0
  const dead = await tx
    .selectFrom('activity')
    .select('id')
    .where(({ eb, refTuple, tuple }) => eb(refTuple('at', 'id'), '<=', tuple(last.at, last.id)))
    .orderBy('at')
    .orderBy('id')
    .limit(limit)
    .execute()
  const ids = dead.map(({ id }) => id)
  await tx.deleteFrom('activity_members').where('id', 'in', ids).execute()
  await tx.deleteFrom('activity').where('id', 'in', ids).execute()
  return dead.length
}
