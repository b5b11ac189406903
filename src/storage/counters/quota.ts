// A quota: at most `limit` units in any period, wherever the period begins. Two counters with a weighted average let
// through almost twice the limit around an edge; so the period is cut into slots, and a slot counts whole until its
// last moment is a period old. That errs on the strict side, by at most the length of one slot.

import type { Arithmetic, QuotaMeter } from './meter.js'
import { toWholeMs } from './microseconds.js'

const SLOTS = 30

/** The arithmetic of quotas. */
export const quota: Arithmetic<QuotaMeter> = {
  fits(meter, cost, nowUs) {
    forget(meter, nowUs)
    return meter.total + cost <= meter.algorithm.limit
  },
  charge(meter, cost, nowUs) {
    forget(meter, nowUs)
    const { slots } = meter
    const newest = slots.at(-2)
    // A clock that seems to go back counts into the newest slot: forgotten later, never earlier.
    const slot = Math.max(slotAt(meter, nowUs), newest ?? 0)
    const before = newest === slot ? (slots.at(-1) ?? 0) : 0
    if (newest === slot) slots.length -= 2
    if (before + cost > 0) slots.push(slot, before + cost)
    meter.total += cost
  },
  takeBack(meter, cost, chargedAtUs, nowUs) {
    forget(meter, nowUs)
    const { slots } = meter
    const charged = slotAt(meter, chargedAtUs)
    let left = cost
    // It was charged into that slot, or into the newest when that was newer; what is forgotten already stays forgotten.
    for (let i = 0; i < slots.length && left > 0; ) {
      const units = (slots[i] ?? 0) < charged ? 0 : Math.min(left, slots[i + 1] ?? 0)
      left -= units
      meter.total -= units
      slots[i + 1] = (slots[i + 1] ?? 0) - units
      if (slots[i + 1] === 0) slots.splice(i, 2)
      else i += 2
    }
  },
  describe(meter, cost, allowed, nowUs) {
    forget(meter, nowUs)
    const { limit } = meter.algorithm
    const oldest = meter.slots[0]
    return {
      allowed,
      remaining: Math.max(0, limit - meter.total),
      resetMs: oldest === undefined ? 0 : toWholeMs(forgottenAt(meter, oldest) - nowUs),
      retryAfterMs: allowed ? 0 : toWholeMs(fitsAt(meter, cost, nowUs) - nowUs),
    }
  },
  used(meter, nowUs) {
    forget(meter, nowUs)
    return meter.total
  },
}

function slotAt(meter: QuotaMeter, nowUs: number): number {
  return Math.floor((nowUs * SLOTS) / (meter.algorithm.periodMs * 1000))
}

/** The first microsecond at which a slot does not count any more. */
function forgottenAt(meter: QuotaMeter, slot: number): number {
  return Math.ceil(((slot + SLOTS + 1) * meter.algorithm.periodMs * 1000) / SLOTS)
}

function forget(meter: QuotaMeter, nowUs: number): void {
  const firstCounted = slotAt(meter, nowUs) - SLOTS
  let gone = 0
  for (let oldest = meter.slots[0]; oldest !== undefined && oldest < firstCounted; oldest = meter.slots[gone]) {
    meter.total -= meter.slots[gone + 1] ?? 0
    gone += 2
  }
  if (gone > 0) meter.slots.splice(0, gone)
}

/** The microsecond at which so much is forgotten that `cost` fits; infinite when it is more than the limit. */
function fitsAt(meter: QuotaMeter, cost: number, nowUs: number): number {
  const { limit } = meter.algorithm
  if (meter.total + cost <= limit) return nowUs
  let left = meter.total
  for (let i = 0; i < meter.slots.length; i += 2) {
    left -= meter.slots[i + 1] ?? 0
    if (left + cost <= limit) return forgottenAt(meter, meter.slots[i] ?? 0)
  }
  return Number.POSITIVE_INFINITY
}
