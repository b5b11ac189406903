// Reading the ledger: in order, to verify it, and newest first, for people. Nothing here changes a row.

import { sql } from 'kysely'
import type { Statements } from '../store.js'
import { conditionsOf, type LedgerFilter, within } from './ledger-filter.js'
import type { LedgerRow } from './ledger-head.js'
import { boundsOf } from './time-bounds.js'

/**
 * The rows after `position` in the order of the chain, at most `limit`; without one from the very first, also one that
 * somebody put before the beginning.
 */
export async function readLedger(
  statements: Statements,
  position: number | undefined,
  limit: number,
): Promise<LedgerRow[]> {
  const all = selectLedger(statements)
  const query = position === undefined ? all : all.where('position', '>', within(position))
  return numbered(await query.orderBy('position').limit(limit).execute())
}

/** A page of what `filter` asks for; `place` is the position of the last row of the page before. */
export async function listLedger(
  statements: Statements,
  options: { filter: LedgerFilter; place?: number | undefined; order: 'newest' | 'oldest'; limit: number },
): Promise<LedgerRow[]> {
  const { filter, place, order, limit } = options
  let query = selectLedger(statements)
  if (place !== undefined) query = query.where('position', order === 'newest' ? '<' : '>', within(place))
  const { least, most } = await boundsOf(statements, filter)
  if (least !== undefined) query = query.where('position', '>=', least)
  if (most !== undefined) query = query.where('position', '<=', most)
  for (const [column, operator, value] of conditionsOf(filter)) {
    // Of a time the bounds are what an index finds: by its own the rows would come out of order.
    query = query.where(column === 'at' ? sql<number>`at + 0` : column, operator, value)
  }
  return numbered(
    await query
      .orderBy('position', order === 'newest' ? 'desc' : 'asc')
      .limit(limit)
      .execute(),
  )
}

/**
 * The numbers as text: somebody may have put one there that no number of ours is, and the row must be read to say so.
 */
export function selectLedger(statements: Statements) {
  return statements
    .selectFrom('ledger')
    .select(['event', 'tenant_id', 'actor', 'application_id', 'user_id', 'request_id', 'address', 'details'])
    .select(['key_id', 'mac', 'previous_mac'])
    .select([sql<string>`cast(position as text)`.as('position_text'), sql<string>`cast(at as text)`.as('at_text')])
}

type Read = Omit<LedgerRow, 'position' | 'at'> & { position_text: string; at_text: string }

/** Rows as selectLedger reads them, with their numbers. */
export function numbered(rows: readonly Read[]): LedgerRow[] {
  return rows.map(({ position_text, at_text, ...row }) => ({
    ...row,
    position: Number(position_text),
    at: Number(at_text),
  }))
}
