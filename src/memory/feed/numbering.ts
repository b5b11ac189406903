// A transaction that numbers its changes: under the lock of the head, so that the order of the numbers is the order of
// the commits.

import { appendChanges } from '../store/change-log.js'
import { type ChangeRow, lockHead } from '../store/changes.js'
import type { Statements, Store } from '../store/store.js'
import type { ChangeEntry } from './feed.js'

export interface Numbered<T> {
  result: T
  /** The number of the last row, or, without rows, the newest before this transaction. */
  seq: number
  /** What was written to the log. */
  rows: readonly ChangeRow[]
}

/**
 * Runs `work` in one transaction and writes what it recorded under the numbers that it was told, all of them above
 * `applied`, the newest that this instance knows. `at` (epoch ms) is noted with each. Throws StoreUnavailable, and what
 * `work` throws; see Feed.commit.
 */
export function commitNumbered<T>(
  store: Store,
  work: (tx: Statements, record: (entry: ChangeEntry) => number) => Promise<T>,
  { at, applied }: { at: number; applied: number },
): Promise<Numbered<T>> {
  return store.transaction(async (tx) => {
    const head = await lockHead(tx, applied)
    const rows: ChangeRow[] = []
    const record = (entry: ChangeEntry): number => {
      const seq = head + rows.length + 1
      rows.push({ seq, at, body: JSON.stringify(entry) })
      return seq
    }
    const result = await work(tx, record)
    await appendChanges(tx, rows)
    return { result, seq: head + rows.length, rows }
  }, 'first-lock')
}
