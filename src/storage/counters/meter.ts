// One counter: its state as plain data, because there may be hundreds of thousands, and what arithmetic
// can do with it; rate.ts and quota.ts do.
// Times are whole microseconds of a monotonic clock: with integers sums are exact and no request is lost to rounding.

import type { Algorithm, BucketState } from './counters.js'

export interface RateMeter {
  algorithm: Extract<Algorithm, { kind: 'rate' }>
  /** Units that still count, times the period's microseconds. */
  level: number
  leveledAt: number
  /** Set on the meter of keys that found no room for one of their own. */
  shared?: true
}

export interface QuotaMeter {
  algorithm: Extract<Algorithm, { kind: 'quota' }>
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
  /**
   * Takes back units that were charged at `chargedAtUs`, which may be a while ago: other units may have been charged
   * and forgotten since. Never makes room that was not there before the charge, but for what a rate leaked since.
   */
  takeBack(meter: M, cost: number, chargedAtUs: number, nowUs: number): void
  /** What this meter says of a request of `cost`, after it was decided. */
  describe(meter: M, cost: number, allowed: boolean, nowUs: number): BucketState
  /** Units that still count. At 0 it can be forgotten: a new meter would answer the same. */
  used(meter: M, nowUs: number): number
}
