// The Counters of one process. Synchronous: between two lines of it no other request runs, so counts are exact.

import type { Bucket, BucketState, Counters } from './counters.js'
import type { Meter } from './meter.js'
import { createMeterTable } from './meter-table.js'
import { metering } from './metering.js'
import { toMicroseconds } from './microseconds.js'

/** The Counters whose answers need no waiting. */
export interface InProcessCounters extends Counters {
  take(buckets: readonly Bucket[], nowMs: number): BucketState[]
  peek(buckets: readonly Bucket[], nowMs: number): BucketState[]
  /** Keys with a counter of their own, for the metric. */
  size(): number
}

/** Of each family of keys; see keys.ts. */
const MAX_ENTRIES = 100_000

/** Empty counters. `maxEntries` bounds the keys of each family. */
export function createInProcessCounters(options: { maxEntries?: number } = {}): InProcessCounters {
  const maxEntries = options.maxEntries ?? MAX_ENTRIES
  const table = createMeterTable(maxEntries)
  return {
    take(buckets, nowMs) {
      const nowUs = toMicroseconds(nowMs)
      const meters = new Array<Meter>(buckets.length)
      for (let i = 0; i < buckets.length; i += 1) {
        const { key, algorithm } = buckets[i] as Bucket
        meters[i] = table.require(key, algorithm, nowUs)
      }
      return takeAll(buckets, meters, nowUs)
    },
    peek(buckets, nowMs) {
      const nowUs = toMicroseconds(nowMs)
      return buckets.map((bucket) => {
        const meter = table.find(bucket.key, bucket.algorithm, nowUs)
        return metering.describe(meter, bucket.cost, metering.fits(meter, bucket.cost, nowUs), nowUs)
      })
    },
    size: table.size,
    async close() {
      table.clear()
    },
  }
}

/**
 * Charges one after the other, so that two buckets on one meter add up, and takes all back when one does not fit. Plain
 * loops over arrays of the right length, because every request comes through here and pushing reserves room for 17.
 */
function takeAll(buckets: readonly Bucket[], meters: readonly Meter[], nowUs: number): BucketState[] {
  const fitting = new Array<boolean>(meters.length)
  let all = true
  for (let i = 0; i < meters.length; i += 1) {
    const { cost } = buckets[i] as Bucket
    const fits = metering.fits(meters[i] as Meter, cost, nowUs)
    if (fits) metering.charge(meters[i] as Meter, cost, nowUs)
    else all = false
    fitting[i] = fits
  }
  const states = new Array<BucketState>(meters.length)
  for (let i = 0; i < meters.length; i += 1) {
    if (!all && fitting[i] === true) metering.charge(meters[i] as Meter, -(buckets[i] as Bucket).cost, nowUs)
  }
  for (let i = 0; i < meters.length; i += 1) {
    states[i] = metering.describe(meters[i] as Meter, (buckets[i] as Bucket).cost, fitting[i] === true, nowUs)
  }
  return states
}
