// The slots of one length that an instance has counted itself, and what the others wrote of the same slots. Both forget
// what is older than the stretch, so they stay as small as slots are.

import { type CallSeries, emptySlot, type Slot } from './slot.js'
import type { Interned } from './slot-sums.js'
import { type Slots, slotOf, slotTimes } from './slots.js'

export interface Ring {
  readonly slots: Slots
  /** The slot of a time, which from now on has to be written. */
  open(ms: number): Slot
  /** Those that were counted in since they were written, the oldest first. */
  unwritten(): Slot[]
  /** `written` stand in the Store as they were; what was counted in them since is another matter. */
  wrote(written: readonly Slot[]): void
  /** They are not written after all. */
  notWritten(slots: readonly Slot[]): void
  /** Puts what others counted in a stretch (epoch ms, `to` excluded) in the place of what was known of it. */
  replaceOthers(stretch: { from: number; to: number }, found: readonly Slot[]): void
  /** What is known of a slot, of this instance and of the others. */
  at(slotAt: number): readonly Slot[]
  /** Forgets what is older than the stretch that ends now. */
  forget(nowMs: number): void
  /** Every series in it. */
  series(): Iterable<CallSeries>
}

/** An empty ring. */
export function createRing(slots: Slots): Ring {
  const own = new Map<number, Slot>()
  const elsewhere = new Map<number, Slot>()
  const changed = new Set<number>()
  return {
    slots,
    open(ms) {
      const at = slotOf(slots, ms)
      const slot = own.get(at) ?? emptySlot(at)
      own.set(at, slot)
      changed.add(at)
      return slot
    },
    unwritten: () => [...changed].sort((a, b) => a - b).flatMap((at) => notEmpty(own.get(at))),
    wrote(written) {
      for (const { at } of written) changed.delete(at)
    },
    notWritten(failed) {
      for (const { at } of failed) if (own.has(at)) changed.add(at)
    },
    replaceOthers({ from, to }, found) {
      for (const at of elsewhere.keys()) if (at >= from && at < to) elsewhere.delete(at)
      for (const slot of found) elsewhere.set(slot.at, slot)
    },
    at: (slotAt) => [own.get(slotAt), elsewhere.get(slotAt)].flatMap(notEmpty),
    forget(nowMs) {
      const oldest = slotTimes(slots, nowMs)[0] ?? nowMs
      for (const known of [own, elsewhere]) for (const at of known.keys()) if (at < oldest) known.delete(at)
      for (const at of changed) if (at < oldest) changed.delete(at)
    },
    *series() {
      for (const known of [own, elsewhere]) for (const slot of known.values()) yield* slot.calls.keys()
    },
  }
}

function notEmpty(slot: Slot | undefined): Slot[] {
  const isEmpty = slot === undefined || slot.calls.size + slot.routes.size + slot.totals.size === 0
  return isEmpty ? [] : [slot]
}

/** One object for each series, for as long as a slot has it; forget those that none has any more from time to time. */
export function createInterning(): { intern: Interned; keep(alive: Iterable<CallSeries>): void } {
  let known = new Map<string, CallSeries>()
  const keyOf = (tenantId: string, applicationId: string, routeId: string) =>
    `${tenantId}\n${applicationId}\n${routeId}`
  return {
    intern(tenantId, applicationId, routeId) {
      const key = keyOf(tenantId, applicationId, routeId)
      const found = known.get(key) ?? { tenantId, applicationId, routeId }
      known.set(key, found)
      return found
    },
    keep(alive) {
      known = new Map([...alive].map((one) => [keyOf(one.tenantId, one.applicationId, one.routeId), one]))
    },
  }
}
