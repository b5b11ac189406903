// One counter: its state as plain data, because there may be hundreds of thousands, and which arithmetic belongs to it.
// Times are whole microseconds of a monotonic clock: with integers sums are exact and no request is lost to rounding.

import type { Algorithm, BucketState } from './counters.js'
import { quota } from './quota.js'
import { rate } from './rate.js'

export type RateAlgorithm = Extract<Algorithm, { kind: 'rate' }>
export type QuotaAlgorithm = Extract<Algorithm, { kind: 'quota' }>

export interface RateMeter {
  algorithm: RateAlgorithm
  /** Units that still count, times the period's microseconds. */
  level: number
  leveledAt: number
  /** Set on the meter of keys that found no room for one of their own. */
  shared?: true
}

export interface QuotaMeter {
  algorithm: QuotaAlgorithm
  total: number
  /** Slot number, units, slot number, units …, oldest first; only slots that hold something. */
  slots: number[]
  /** As on a rate. */
  shared?: true
}

export type Meter = RateMeter | QuotaMeter

/** The arithmetic of one algorithm over its meters. Each call first forgets what is too old to count. */
export interface Arithmetic<M> {
  /** True when `cost` more units fit now. */
  fits(meter: M, cost: number, nowUs: number): boolean
  /** Adds units; a negative cost takes back what was added at the same time. */
  charge(meter: M, cost: number, nowUs: number): void
  /** What this meter says of a request of `cost`, after it was decided. */
  describe(meter: M, cost: number, allowed: boolean, nowUs: number): BucketState
  /** Units that still count. At 0 it can be forgotten: a new meter would answer the same. */
  used(meter: M, nowUs: number): number
}

/** A meter on which nothing counts yet. */
export function createMeter(algorithm: Algorithm, nowUs: number): Meter {
  if (algorithm.kind === 'rate') return { algorithm, level: 0, leveledAt: nowUs }
  return { algorithm, total: 0, slots: [] }
}

/** The arithmetic for whichever meter it is given. */
export const metering: Arithmetic<Meter> = {
  fits: (meter, cost, nowUs) => (isRate(meter) ? rate.fits(meter, cost, nowUs) : quota.fits(meter, cost, nowUs)),
  charge: (meter, cost, nowUs) => (isRate(meter) ? rate.charge(meter, cost, nowUs) : quota.charge(meter, cost, nowUs)),
  describe(meter, cost, allowed, nowUs) {
    const state = isRate(meter)
      ? rate.describe(meter, cost, allowed, nowUs)
      : quota.describe(meter, cost, allowed, nowUs)
    if (meter.shared === true) state.shared = true
    return state
  },
  used: (meter, nowUs) => (isRate(meter) ? rate.used(meter, nowUs) : quota.used(meter, nowUs)),
}

function isRate(meter: Meter): meter is RateMeter {
  return meter.algorithm.kind === 'rate'
}
