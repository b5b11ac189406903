// Which instances follow the log, and how far each is, by the Store's word: every instance notes there what it has
// applied. An instance that cannot tell the others through the stream asks here whether each of them knows.
//
// An instance that died stops counting when its row has not changed for `disconnectedMs`. That is safe because an
// instance that could not note anything for so long refuses by itself, whatever the stream tells it (see
// shared-feed.ts). Only changes of rows are looked at, by this instance's monotonic clock: wall clocks may differ.

import { type InstanceRow, listInstances, noteInstance, removeInstance } from '../sql/cluster/instances.js'
import { pauseFactor } from '../sql/cluster/list-pauses.js'
import { isSameSign } from '../sql/cluster/signs-of-life.js'
import { type Store, StoreUnavailable } from '../sql/store.js'
import type { Timers } from './timers.js'

export interface AcknowledgementOptions {
  store: Store
  instanceId: string
  /** For people: `name` beside the id. */
  instanceName: string
  /** A row that has not changed for so long does not count. */
  disconnectedMs: number
  /** How often the Store is queried while somebody waits. */
  askMs: number
  now: () => number
  monotonic: () => number
  timers: Timers
}

export interface Acknowledgements {
  /** Notes that this instance lives and has applied up to `seq`. Throws StoreUnavailable. */
  note(seq: number): Promise<void>
  /** When, by the monotonic clock, the last successful note began; −∞ before the first. */
  notedAt(): number
  /** The number last noted. */
  notedSeq(): number
  /** Resolves when every other instance that counts has noted `seq` or more. Throws StoreUnavailable after `waitMs`. */
  confirmed(seq: number, waitMs: number): Promise<void>
  /**
   * Looks at the others' rows, so that time counts for those that died; of many less often, so that a dead one counts
   * the longer. Throws StoreUnavailable.
   */
  look(): Promise<void>
  /** This instance follows no more. Throws StoreUnavailable. */
  leave(): Promise<void>
}

interface ReplicaState {
  /** What the row said; any other is a sign of life. */
  row: InstanceRow
  changedAt: number
}

/** Where there are many instances, the least between two looks of one; for each few of them once more. */
const LOOK_MS = 1_000
/** Longer than any difference between two monotonic clocks in `disconnectedMs`, and than a note under way. */
const MARGIN_MS = 1_000

/** Nobody has been seen yet. */
export function createAcknowledgements(options: AcknowledgementOptions): Acknowledgements {
  const { store, instanceId, monotonic, now } = options
  const startedAt = now()
  const others = new Map<string, ReplicaState>()
  let notedAt = Number.NEGATIVE_INFINITY
  let notedSeq = -1
  let asking: Promise<void> | undefined
  let nextLookAt = Number.NEGATIVE_INFINITY

  const observe = async (): Promise<void> => {
    const rows = await listInstances(store.reader, 0)
    const at = monotonic()
    const longest = options.disconnectedMs / 2
    const factor = pauseFactor(rows.length)
    // Not all who started together at the same moment again: together they would read all rows of all in a second.
    const spread = 0.75 + options.timers.random() / 4
    if (factor > 1) nextLookAt = at + Math.min(longest, factor * LOOK_MS) * spread
    const present = new Set(rows.map((row) => row.id))
    for (const id of others.keys()) if (!present.has(id)) others.delete(id)
    for (const row of rows) {
      if (row.id === instanceId) continue
      const before = others.get(row.id)
      if (before === undefined || !isSameSign(before.row, row)) others.set(row.id, { row, changedAt: at })
    }
  }
  /** Those who wait at the same moment share one question; it began after each of them had committed. */
  const ask = async (): Promise<void> => {
    await new Promise<void>((resolve) => options.timers.awaited(options.askMs, resolve))
    await observe()
  }
  const isMissing = (seq: number): boolean => {
    const oldest = monotonic() - options.disconnectedMs - MARGIN_MS
    return [...others.values()].some((other) => other.row.appliedSeq < seq && other.changedAt >= oldest)
  }

  return {
    async note(seq) {
      const beganAt = monotonic()
      const row = { id: instanceId, name: options.instanceName, startedAt, seenAt: now(), appliedSeq: seq }
      // Its own row, in one statement: there is nothing to keep apart, and all instances do this all the time.
      await store.transaction((tx) => noteInstance(tx, row), 'first-lock')
      notedAt = beganAt
      notedSeq = seq
    },
    notedAt: () => notedAt,
    notedSeq: () => notedSeq,
    async confirmed(seq, waitMs) {
      const deadline = monotonic() + waitMs
      // Queried anew in any case: an instance may have come since the last look.
      await observe()
      while (isMissing(seq)) {
        if (monotonic() >= deadline) throw new StoreUnavailable('committed, but not confirmed by every instance')
        asking ??= ask().finally(() => {
          asking = undefined
        })
        await asking
      }
    },
    look: async () => {
      if (monotonic() >= nextLookAt) await observe()
    },
    leave: () => store.transaction((tx) => removeInstance(tx, instanceId), 'first-lock'),
  }
}
