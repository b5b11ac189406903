// What this instance knows of buckets that are counted in Redis: units it took ahead, how fast they go, the last
// answer, and a refusal that still holds. All of it may be forgotten: then the next decision takes a round trip.

import type { Algorithm, BucketState } from './counters.js'
import type { Leftover } from './redis-decision.js'
import { isSameAlgorithm } from './same-algorithm.js'

export interface Lease {
  units: number
  /** As many as it had at first. */
  size: number
  /** Monotonic milliseconds; from then on its units must not be spent. Counted from before the request was sent. */
  endsAtMs: number
  birth: number
  slot: number
}

export interface SharedBucketState {
  readonly key: string
  algorithm: Algorithm
  /** The lease that is spent, and the one that follows it. */
  lease: Lease | undefined
  next: Lease | undefined
  isRefilling: boolean
  /** Not before this time is Redis queried for a lease again. */
  refillAfterMs: number
  /** Of leases that ended, until Redis has it back. */
  leftover: Leftover | undefined
  /** Units lately requested in a millisecond. */
  demand: number
  requestedAtMs: number
  /** The last answer, and when its query was sent; -Infinity before the first. */
  remaining: number
  resetAtMs: number
  knownAtMs: number
  /**
   * A request of this cost was refused; one that costs so much or more is refused here until then, -Infinity when none
   * was.
   */
  refusedCost: number
  refusedUntilMs: number
  retryAtMs: number
  /** Units let through while Redis was gone. */
  debt: number
}

export interface SharedBucketStates {
  /** The state of a bucket, made when there is none; undefined when there is no room for one. */
  open(key: string, algorithm: Algorithm, nowMs: number): SharedBucketState | undefined
  find(key: string): SharedBucketState | undefined
  size(): number
  clear(): void
}

const IDLE_MS = 60_000
const SWEEP_STEPS = 4
const SWEEP_STEPS_WHEN_FULL = 64

/** At most `most` buckets; those that hold nothing leave first. */
export function createBucketStates(most: number): SharedBucketStates {
  const bucketStates = new Map<string, SharedBucketState>()
  let hand = bucketStates.values()

  const sweep = (steps: number, idleMs: number, nowMs: number): void => {
    for (let step = 0; step < steps; step += 1) {
      const next = hand.next()
      if (next.done === true) {
        hand = bucketStates.values()
        return
      }
      if (isIdle(next.value, idleMs, nowMs)) bucketStates.delete(next.value.key)
    }
  }

  return {
    open(key, algorithm, nowMs) {
      const known = bucketStates.get(key)
      if (known !== undefined) {
        if (known.algorithm !== algorithm) useAlgorithm(known, algorithm)
        return known
      }
      sweep(SWEEP_STEPS, IDLE_MS, nowMs)
      if (bucketStates.size >= most) sweep(SWEEP_STEPS_WHEN_FULL, 0, nowMs)
      if (bucketStates.size >= most) return undefined
      const bucketState = newBucketState(key, algorithm, nowMs)
      bucketStates.set(key, bucketState)
      return bucketState
    },
    find: (key) => bucketStates.get(key),
    size: () => bucketStates.size,
    clear: () => bucketStates.clear(),
  }
}

/**
 * From now on these numbers. When they are others, units that were taken ahead under the old ones are not spent, and
 * what was refused under them may be requested again. Not given back either: Redis counts on with what was used.
 */
function useAlgorithm(bucketState: SharedBucketState, algorithm: Algorithm): void {
  const isSame = isSameAlgorithm(bucketState.algorithm, algorithm)
  bucketState.algorithm = algorithm
  if (isSame) return
  bucketState.lease = bucketState.next = bucketState.leftover = undefined
  bucketState.refusedUntilMs = bucketState.knownAtMs = Number.NEGATIVE_INFINITY
}

/** The last answer of Redis about a bucket, as an answer for now; a full allowance before the first. */
export function rememberedState(
  bucketState: SharedBucketState | undefined,
  allowed: boolean,
  full: number,
  nowMs: number,
): BucketState {
  if (bucketState === undefined || bucketState.knownAtMs === Number.NEGATIVE_INFINITY) {
    return { allowed, remaining: allowed ? full : 0, resetMs: 0, retryAfterMs: 0 }
  }
  const ahead = (bucketState.lease?.units ?? 0) + (bucketState.next?.units ?? 0)
  const until = (ms: number): number => Math.max(0, Math.ceil(ms - nowMs))
  return {
    allowed,
    remaining: bucketState.remaining + ahead,
    resetMs: until(bucketState.resetAtMs),
    retryAfterMs: allowed ? 0 : until(bucketState.retryAtMs),
  }
}

function isIdle(bucketState: SharedBucketState, idleMs: number, nowMs: number): boolean {
  return (
    bucketState.lease === undefined &&
    bucketState.leftover === undefined &&
    !bucketState.isRefilling &&
    bucketState.debt === 0 &&
    bucketState.refusedUntilMs <= nowMs &&
    nowMs - bucketState.requestedAtMs >= idleMs
  )
}

function newBucketState(key: string, algorithm: Algorithm, nowMs: number): SharedBucketState {
  return {
    key,
    algorithm,
    lease: undefined,
    next: undefined,
    isRefilling: false,
    refillAfterMs: Number.NEGATIVE_INFINITY,
    leftover: undefined,
    demand: 0,
    requestedAtMs: nowMs,
    remaining: 0,
    resetAtMs: 0,
    knownAtMs: Number.NEGATIVE_INFINITY,
    refusedCost: 0,
    refusedUntilMs: Number.NEGATIVE_INFINITY,
    retryAtMs: 0,
    debt: 0,
  }
}
