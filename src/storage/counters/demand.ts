// What happens to the state of a bucket between two round trips: units are requested, leases follow each other and end.

import type { Lease, SharedBucketState } from './bucket-states.js'

/** For how long the past says something about the demand. */
const DEMAND_MS = 250

/** Notes that `cost` units were requested; the estimate forgets in a quarter of a second. */
export function noteDemand(bucketState: SharedBucketState, cost: number, nowMs: number): void {
  const elapsed = Math.max(0, nowMs - bucketState.requestedAtMs)
  bucketState.demand = bucketState.demand / (1 + elapsed / DEMAND_MS) + cost / DEMAND_MS
  bucketState.requestedAtMs = nowMs
}

/** Units that will be requested in `lifeMs` beside the one that is being requested, at most `most`. */
export function expectedUnits(bucketState: SharedBucketState, lifeMs: number, most: number): number {
  const lately = bucketState.demand - 1 / DEMAND_MS
  return Math.max(0, Math.min(most, Math.floor(lately * lifeMs)))
}

/** Puts leases that ended away and gives the one that can be spent now. */
export function currentLease(bucketState: SharedBucketState, nowMs: number): Lease | undefined {
  while (bucketState.lease !== undefined && (bucketState.lease.units <= 0 || nowMs >= bucketState.lease.endsAtMs)) {
    if (bucketState.lease.units > 0 && bucketState.algorithm.kind === 'quota')
      keepLeftover(bucketState, bucketState.lease)
    bucketState.lease = bucketState.next
    bucketState.next = undefined
  }
  return bucketState.lease
}

/**
 * Of two leases one remainder fits, unless they are of the same slot; the other is lost, which errs on the strict side.
 */
function keepLeftover(bucketState: SharedBucketState, { units, birth, slot }: Lease): void {
  const before = bucketState.leftover
  const isSame = before !== undefined && before.birth === birth && before.slot === slot
  bucketState.leftover = { units: isSame ? before.units + units : units, birth, slot }
}
