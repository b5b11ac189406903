// Brings the followers of this instance up to a number: change by change, or, when the log has a hole or somebody failed,
// by loading all of them from one snapshot. One walk at a time, so that nobody hears two changes at once.

import { type ChangeRow, readChanges, readHead } from '../store/changes.js'
import { type Store, StoreUnavailable } from '../store/store.js'
import type { Change, ChangeEntry, Follower } from './feed.js'

export interface AdvanceOptions {
  store: Store
  followers: readonly Follower[]
  monotonic: () => number
  onError: (error: unknown) => void
}

export interface Advance {
  /** The newest number that every follower has applied. */
  seq(): number
  /** Milliseconds since everything was known to be applied; infinite before the first load. */
  ageMs(): number
  /** Resolves when `target`, a committed number, is applied. Throws StoreUnavailable; the next call tries again. */
  to(target: number): Promise<void>
  /** Resolves when every change committed before this call is applied. Throws StoreUnavailable. */
  toHead(): Promise<void>
  /** Loads every follower from one snapshot. Throws StoreUnavailable. */
  reload(): Promise<void>
}

/** So many rows at a time: a long absence does not fill the memory. */
const BATCH = 500

/** Nobody has loaded anything yet. */
export function createAdvance(options: AdvanceOptions): Advance {
  const { store, followers, monotonic } = options
  let applied = 0
  let mustReload = true
  let completeAt = Number.NEGATIVE_INFINITY
  let turn: Promise<void> = Promise.resolve()

  const reloadNow = async (): Promise<void> => {
    const startedAt = monotonic()
    // Until it has succeeded: some followers would be newer than others.
    mustReload = true
    applied = await store.snapshot(async (snapshot) => {
      const head = await readHead(snapshot)
      for (const follower of followers) await follower.load(snapshot)
      return head
    })
    mustReload = false
    completeAt = startedAt
  }

  const applyRow = async (row: ChangeRow): Promise<void> => {
    const change: Change = { seq: row.seq, at: row.at, entry: JSON.parse(row.body) as ChangeEntry }
    for (const follower of followers) await follower.apply(change)
    applied = row.seq
  }

  /** One batch towards the newest; false when the rows do not continue what is applied, or could not be applied. */
  const step = async (): Promise<boolean> => {
    const rows = await readChanges(store.reader, applied, BATCH)
    if (rows.length === 0) return false
    for (const row of rows) {
      if (row.seq !== applied + 1) return false
      try {
        await applyRow(row)
      } catch (error) {
        options.onError(error)
        return false
      }
    }
    return true
  }

  const walkTo = async (target: number): Promise<void> => {
    if (mustReload) return reloadNow()
    while (applied < target) {
      if (!(await step())) return reloadNow()
    }
  }

  /** Takes its turn; a failure is this caller's and does not stop the next one. */
  const inTurn = (walk: () => Promise<void>): Promise<void> => {
    const mine = turn.then(walk)
    turn = mine.catch(() => {})
    return mine.catch((error: unknown) => {
      if (error instanceof StoreUnavailable) throw error
      options.onError(error)
      throw new StoreUnavailable('what is remembered here could not be brought up to date', { cause: error })
    })
  }

  return {
    seq: () => applied,
    ageMs: () => monotonic() - completeAt,
    to: (target) => inTurn(() => walkTo(target)),
    reload: () => inTurn(reloadNow),
    toHead: () =>
      inTurn(async () => {
        const askedAt = monotonic()
        const head = await readHead(store.reader)
        // A head before ours: somebody put an older copy of the file in place.
        if (head < applied) return reloadNow()
        await walkTo(head)
        completeAt = Math.max(completeAt, askedAt)
      }),
  }
}
