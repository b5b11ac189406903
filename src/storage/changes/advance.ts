// Brings the followers of this instance up to a number: change by change, or, when the log has a hole or somebody
// failed, by loading all of them from one snapshot. What the stream brought is applied at once and confirmed by the
// Store at the next look. Nobody hears two changes at once, and a Store that hangs does not keep the stream from being
// heard.

import { type ChangeRow, readChanges, readHead } from '../sql/cluster/changes.js'
import { type Store, StoreUnavailable } from '../sql/store.js'
import { readEntry } from './change-entry.js'
import type { Change, Follower } from './feed.js'
import { commitNumbered } from './numbering.js'

export interface AdvanceOptions {
  store: Store
  followers: readonly Follower[]
  /** Epoch milliseconds. */
  now: () => number
  monotonic: () => number
  onError: (error: unknown) => void
  /** Hears of each change that came from elsewhere, after it was applied. */
  onApplied?: (change: Change) => void
}

export interface Advance {
  /** The newest number that every follower has applied. */
  seq(): number
  /**
   * When, by the monotonic clock, the Store was last queried and everything it had was applied; −∞ before the first
   * load.
   */
  completeAt(): number
  /**
   * Resolves when `target`, a committed number of this instance, is applied. Throws StoreUnavailable; the next call
   * tries again.
   */
  to(target: number): Promise<void>
  /** Resolves when every change committed before this call is applied. Throws StoreUnavailable. */
  toHead(): Promise<void>
  /**
   * Applies rows that did not come from the Store: those that continue what is applied. False when some did not, or
   * could not be applied: then the Store must be queried. The next toHead compares what was applied with what the Store
   * has.
   */
  hear(rows: readonly ChangeRow[], fromElsewhere: boolean): Promise<boolean>
  /** Loads every follower from one snapshot. Throws StoreUnavailable. */
  reload(): Promise<void>
}

/** The Store answered; somebody here could not take what it said. */
export class FollowerFailed extends StoreUnavailable {}

/** So many rows at a time: a long absence does not fill the memory. */
const BATCH = 500

/** So many changes are taken on the stream's word before the Store has confirmed them: some megabytes. */
const MOST_UNCONFIRMED = 20_000

/** Nobody has loaded anything yet. */
export function createAdvance(options: AdvanceOptions): Advance {
  const { store, followers, monotonic } = options
  let applied = 0
  /**
   * Up to here the Store itself was read; what is applied above it came from elsewhere and is kept in `unconfirmed`.
   */
  let confirmed = 0
  const unconfirmed = new Map<number, ChangeRow>()
  let mustReload = true
  let completeAt = Number.NEGATIVE_INFINITY
  const reading = createQueue()
  const applying = createQueue()

  const reloadNow = async (): Promise<void> => {
    const startedAt = monotonic()
    // Until it has succeeded: some followers would be newer than others.
    mustReload = true
    await applying(async () => {
      applied = await store.snapshot(async (snapshot) => {
        const head = await readHead(snapshot)
        for (const follower of followers) await follower.load(snapshot)
        return head
      })
      confirmed = applied
      unconfirmed.clear()
      mustReload = false
    })
    completeAt = startedAt
  }

  /** False when a follower failed or the body is no entry: then some may be newer than others. */
  const applyRow = async (row: ChangeRow, fromElsewhere: boolean): Promise<boolean> => {
    try {
      const change: Change = { seq: row.seq, at: row.at, entry: readEntry(row.body) }
      for (const follower of followers) await follower.apply(change)
      applied = row.seq
      if (fromElsewhere) options.onApplied?.(change)
      return true
    } catch (error) {
      options.onError(error)
      mustReload = true
      return false
    }
  }

  const confirm = (row: ChangeRow): boolean => {
    const heard = unconfirmed.get(row.seq)
    unconfirmed.delete(row.seq)
    if (heard?.body === row.body && heard.at === row.at) return true
    options.onError(new Error(`change ${row.seq} was heard otherwise than the Store has it`))
    return false
  }

  /** One batch of the Store's rows; false when they do not continue what is confirmed, contradict it, or fail. */
  const take = async (rows: readonly ChangeRow[], fromElsewhere: boolean): Promise<boolean> => {
    for (const row of rows) {
      if (mustReload || !follows(row, confirmed)) return false
      const good = row.seq <= applied ? confirm(row) : await applyRow(row, fromElsewhere)
      if (!good) return false
      confirmed = row.seq
    }
    return rows.length > 0
  }

  const walkTo = async (target: number, fromElsewhere: boolean): Promise<void> => {
    if (mustReload) return reloadNow()
    while (confirmed < target) {
      const rows = await readChanges(store.reader, confirmed, BATCH)
      if (!(await applying(() => take(rows, fromElsewhere)))) return reloadNow()
    }
  }

  const hear = async (rows: readonly ChangeRow[], fromElsewhere: boolean): Promise<boolean> => {
    for (const row of rows) {
      if (row.seq <= applied) continue
      if (mustReload || !follows(row, applied) || unconfirmed.size >= MOST_UNCONFIRMED) return false
      if (!(await applyRow(row, fromElsewhere))) return false
      unconfirmed.set(row.seq, row)
    }
    return !mustReload
  }

  /** One walk at a time; a failure is this caller's and does not stop the next one. */
  const walk = (work: () => Promise<void>): Promise<void> =>
    reading(work).catch((error: unknown) => {
      if (error instanceof StoreUnavailable) throw error
      options.onError(error)
      throw new FollowerFailed('what is remembered here could not be brought up to date', { cause: error })
    })

  return {
    seq: () => applied,
    completeAt: () => completeAt,
    to: (target) => walk(() => walkTo(target, false)),
    reload: () => walk(reloadNow),
    hear: (rows, fromElsewhere) => applying(() => hear(rows, fromElsewhere)),
    toHead: () =>
      walk(async () => {
        const requestedAt = monotonic()
        const appliedBefore = applied
        const head = await readHead(store.reader)
        // A head before ours: somebody put an older copy of the data in place, or the stream told of what is not there.
        // A gap is left, so that no number is given a second time.
        if (head < appliedBefore) {
          await commitNumbered(store, async () => {}, { at: options.now(), applied: appliedBefore })
          return reloadNow()
        }
        await walkTo(head, true)
        completeAt = Math.max(completeAt, requestedAt)
      }),
  }
}

/** Whether this is the change after `seq`: the next number, or the gap that was left behind it. */
function follows(row: ChangeRow, seq: number): boolean {
  if (row.seq === seq + 1) return true
  if (row.seq <= seq || !row.body.includes('"gap"')) return false
  try {
    const entry = readEntry(row.body)
    return entry.kind === 'gap' && entry.after === seq
  } catch {
    return false
  }
}

/** Runs one after the other what it is given; what fails does not stop the next. */
function createQueue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const mine = last.then(work)
    last = mine.catch(() => {})
    return mine
  }
}
