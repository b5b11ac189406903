// Units that are taken ahead: requested with a decision or in the background, never twice at once for one bucket, and
// given back when their lease ends before they are spent.

import { processTimers, type Timers } from '../changes/timers.js'
import type { Lease, SharedBucketState } from './bucket-states.js'
import type { Bucket } from './counters.js'
import { currentLease, expectedUnits } from './demand.js'
import type { Evaluator } from './evaluations.js'
import { leaseMs, mostAhead } from './lease-terms.js'
import type { Ask, Decider, RedisAnswer } from './redis-decision.js'
import { isSameAlgorithm } from './same-algorithm.js'

export interface Leasing {
  /** How Redis is queried about a bucket, with units ahead when they will be needed. */
  ask(bucket: Bucket, bucketState: SharedBucketState | undefined, nowMs: number): Ask
  /** Takes over what Redis said. `nowMs` is when it was queried. */
  learn(ask: Ask, answer: RedisAnswer, bucket: Bucket, bucketState: SharedBucketState, nowMs: number): void
  /** Nothing was heard of it. What it would have given back is lost: to give it back twice would be worse. */
  forget(ask: Ask, bucketState: SharedBucketState, nowMs: number): void
  /** After units were spent: asks for the next lease in the background when this one nears its end. */
  renew(bucket: Bucket, bucketState: SharedBucketState, nowMs: number): void
  close(): Promise<void>
}

const TICK_MS = 250
const RETURNS_IN_A_CALL = 50
const REFUSAL_MS = 1_000
/** Units for which it is worth going to Redis before somebody waits for them. */
const LEAST_RENEWED = 8

/** `monotonic` is in milliseconds; `isUp` says whether Redis can be queried. */
export function createLeasing(options: {
  decider: Decider
  evaluator: Evaluator
  instances: () => number
  monotonic: () => number
  isUp: () => boolean
  /** Absent: the process's. */
  timers?: Timers | undefined
}): Leasing {
  const { decider, evaluator, instances, monotonic, isUp, timers = processTimers } = options
  /** Buckets that have a lease or something to give back. */
  const holding = new Set<SharedBucketState>()

  const giveBack = async (asks: Ask[]): Promise<void> => {
    for (let i = 0; i < asks.length && isUp(); i += RETURNS_IN_A_CALL) {
      const batch = asks.slice(i, i + RETURNS_IN_A_CALL)
      await decider.decide('take', batch, monotonic()).catch(() => undefined)
    }
  }
  const tick = (): void => {
    const now = monotonic()
    const asks: Ask[] = []
    for (const bucketState of holding) {
      currentLease(bucketState, now)
      if (bucketState.leftover !== undefined) asks.push(returning(bucketState))
      if (bucketState.lease === undefined) holding.delete(bucketState)
    }
    void giveBack(asks)
  }
  const cancel = timers.every(TICK_MS, tick)

  const ask = (bucket: Bucket, bucketState: SharedBucketState | undefined, cost: number, nowMs: number): Ask => {
    const life = bucket.mode === 'leased' ? leaseMs(bucket.algorithm) : 0
    const { key, algorithm } = bucket
    if (bucketState === undefined) return { key, algorithm, cost, leaseMs: life, want: 0, debt: 0, leftover: undefined }
    const { leftover } = bucketState
    bucketState.leftover = undefined
    const isFree =
      life > 0 && !bucketState.isRefilling && bucketState.next === undefined && nowMs >= bucketState.refillAfterMs
    const want = isFree ? expectedUnits(bucketState, life, mostAhead(algorithm, instances())) : 0
    if (want > 0) bucketState.isRefilling = true
    return { key, algorithm, cost, leaseMs: life, want, debt: evaluator.takeDebt(bucketState, nowMs), leftover }
  }

  const takeLease = (request: Ask, answer: RedisAnswer, bucketState: SharedBucketState, nowMs: number): void => {
    bucketState.isRefilling = false
    // Requested under other numbers than those that hold now: not spent.
    if (!isSameAlgorithm(request.algorithm, bucketState.algorithm)) return
    if (answer.ahead === 0) {
      bucketState.refillAfterMs = nowMs + request.leaseMs / 4
      return
    }
    const { ahead: units, birth, slot } = answer
    const lease: Lease = { units, size: units, endsAtMs: nowMs + request.leaseMs, birth, slot }
    if (bucketState.lease === undefined) bucketState.lease = lease
    else bucketState.next = lease
    holding.add(bucketState)
  }

  const learn = (request: Ask, answer: RedisAnswer, bucketState: SharedBucketState, nowMs: number): void => {
    if (request.want > 0) takeLease(request, answer, bucketState, nowMs)
    if (nowMs < bucketState.knownAtMs) return
    bucketState.knownAtMs = nowMs
    bucketState.remaining = answer.state.remaining
    bucketState.resetAtMs = nowMs + answer.state.resetMs
  }

  const forget = (request: Ask, bucketState: SharedBucketState, nowMs: number): void => {
    bucketState.debt += request.debt
    if (request.want === 0) return
    bucketState.isRefilling = false
    bucketState.refillAfterMs = nowMs + request.leaseMs / 4
  }

  return {
    ask: (bucket, bucketState, nowMs) => ask(bucket, bucketState, bucket.cost, nowMs),
    learn(request, answer, bucket, bucketState, nowMs) {
      learn(request, answer, bucketState, nowMs)
      const { allowed, retryAfterMs } = answer.state
      // That little fits says nothing of more.
      if (allowed && bucket.cost >= bucketState.refusedCost) bucketState.refusedUntilMs = Number.NEGATIVE_INFINITY
      if (allowed || retryAfterMs === 0 || !isSameAlgorithm(request.algorithm, bucketState.algorithm)) return
      bucketState.refusedCost = bucket.cost
      bucketState.retryAtMs = nowMs + retryAfterMs
      // Units that others give back can come earlier than the answer says, but not before their lease ends.
      bucketState.refusedUntilMs = nowMs + Math.min(retryAfterMs, request.leaseMs > 0 ? request.leaseMs : REFUSAL_MS)
    },
    forget,
    renew(bucket, bucketState, nowMs) {
      const { lease } = bucketState
      if (lease === undefined || bucketState.isRefilling || bucketState.next !== undefined || !isUp()) return
      const life = leaseMs(bucket.algorithm)
      if (lease.units * 2 > lease.size && lease.endsAtMs - nowMs > life / 4) return
      if (nowMs < bucketState.refillAfterMs) return
      // So few save no round trip: the next request takes them along, for all its buckets at once.
      if (expectedUnits(bucketState, life, mostAhead(bucket.algorithm, instances())) < LEAST_RENEWED) return
      const request = ask(bucket, bucketState, 0, nowMs)
      decider.decide('take', [request], nowMs).then(
        ([answer]) =>
          answer === undefined ? forget(request, bucketState, nowMs) : learn(request, answer, bucketState, nowMs),
        () => forget(request, bucketState, nowMs),
      )
    },
    async close() {
      cancel()
      const asks: Ask[] = []
      for (const bucketState of holding) {
        if (bucketState.leftover !== undefined) asks.push(returning(bucketState))
        for (const lease of [bucketState.lease, bucketState.next]) {
          if (lease === undefined || lease.units === 0 || bucketState.algorithm.kind !== 'quota') continue
          asks.push(returning({ ...bucketState, leftover: lease }))
        }
        bucketState.lease = undefined
        bucketState.next = undefined
      }
      holding.clear()
      await giveBack(asks)
    },
  }
}

/** An ask that takes nothing and gives back what is left. */
function returning(bucketState: SharedBucketState): Ask {
  const { key, algorithm, leftover } = bucketState
  bucketState.leftover = undefined
  return { key, algorithm, cost: 0, leaseMs: 0, want: 0, debt: 0, leftover }
}
