// A transaction that numbers its changes: under the lock of the head, so that the order of the numbers is the order of
// the commits. And never a number a second time: tokens carry the numbers of before, and a revocation under one of them
// would not reach them. So wherever the log may have been put back, it goes on after a gap (decision 0091).

import { appendChanges } from '../sql/cluster/change-log.js'
import { type ChangeRow, lockHead } from '../sql/cluster/changes.js'
import { insertGap } from '../sql/cluster/feed-gaps.js'
import type { Statements, Store } from '../sql/store.js'
import type { Doubt } from './doubt.js'
import type { ChangeEntry } from './feed.js'

export interface Numbered<T> {
  result: T
  /** The number of the last row, or, without rows, the newest before this transaction. */
  seq: number
  /** What was written to the log. */
  rows: readonly ChangeRow[]
}

export interface Numbering {
  /** Epoch milliseconds; noted with each row, and what a gap reaches to. */
  at: number
  /** The newest number that this instance knows: a log that ends before it was put back. */
  applied: number
  doubt?: Doubt | undefined
}

/** The least that a gap leaves out: more than instances are ever apart, whatever the clock says. */
const LEFT_OUT = 1_000

/**
 * Runs `work` in one transaction and writes what it recorded under the numbers that it was told, all of them above
 * `applied`. Throws StoreUnavailable, and what `work` throws; see Feed.commit.
 */
export async function commitNumbered<T>(
  store: Store,
  work: (tx: Statements, record: (entry: ChangeEntry) => number) => Promise<T>,
  numbering: Numbering,
): Promise<Numbered<T>> {
  const { at, doubt } = numbering
  const raised = doubt?.raised ?? 0
  const written = await store.transaction(async (tx) => {
    const head = await lockHead(tx)
    const rows = await leaveGap(tx, head, numbering)
    const before = rows.at(-1)?.seq ?? head
    const gaps = rows.length
    const record = (entry: ChangeEntry): number => {
      const seq = before + rows.length - gaps + 1
      rows.push({ seq, at, body: JSON.stringify(entry) })
      return seq
    }
    const result = await work(tx, record)
    await appendChanges(tx, rows)
    return { result, seq: rows.at(-1)?.seq ?? head, rows }
  }, 'first-lock')
  doubt?.settle(raised)
  return written
}

/** Leaves the gap of a doubt at once, before anything is read. Throws StoreUnavailable. */
export async function settleDoubt(store: Store, { at, doubt }: Pick<Numbering, 'at' | 'doubt'>): Promise<void> {
  if (doubt === undefined || doubt.raised === 0) return
  await commitNumbered(store, async () => {}, { at, applied: 0, doubt })
}

/**
 * Leaves a gap where the log was put back or may have been. It reaches to the time of day: a log that was lost was
 * numbered earlier, and one that is lost later will have reached to another time. Nothing is decided by the clock: one
 * that is wrong makes another gap, and numbers grow all the same.
 */
async function leaveGap(tx: Statements, head: number, { at, applied, doubt }: Numbering): Promise<ChangeRow[]> {
  const isDoubtful = (doubt?.raised ?? 0) > 0 && head > 0
  if (head >= applied && !isDoubtful) return []
  const seq = Math.max(Math.floor(at), Math.max(head, applied) + LEFT_OUT)
  const entry: ChangeEntry = { kind: 'gap', after: head }
  await insertGap(tx, { after: head, until: seq }, at)
  return [{ seq, at, body: JSON.stringify(entry) }]
}
