// Where in the ledger a stretch of time lies, found by an index: so a list of last March reads last March. Rows stand in
// the order in which they were written, and their times are those of the instances that wrote them.

import type { Migration } from '../schema/schema-history.js'
import type { Statements } from '../store.js'
import type { LedgerFilter } from './ledger-filter.js'

/** Migration 30: the index. It only adds. */
export const ledgerTimeIndex: Migration = {
  version: 30,
  name: 'ledger by time',
  statements: ['create index ledger_by_time on ledger (at, position)'],
}

/** No clock of an instance is wrong by so much; within it the times of the rows decide, one by one. */
const clocksDifferMs = 86_400_000

/** Positions, both included. */
export interface Bounds {
  least: number | undefined
  most: number | undefined
}

/** Outside of these no row is of that time. Throws StoreUnavailable. */
export async function boundsOf(statements: Statements, { from, to }: LedgerFilter): Promise<Bounds> {
  const rows = statements.selectFrom('ledger').select('position').limit(1)
  const [before] =
    from === undefined
      ? []
      : await rows
          .where('at', '<', from - clocksDifferMs)
          .orderBy('at', 'desc')
          .orderBy('position', 'desc')
          .execute()
  const [behind] =
    to === undefined
      ? []
      : await rows
          .where('at', '>=', to + clocksDifferMs)
          .orderBy('at')
          .orderBy('position')
          .execute()
  return {
    least: before === undefined ? undefined : Number(before.position),
    most: behind === undefined ? undefined : Number(behind.position),
  }
}
