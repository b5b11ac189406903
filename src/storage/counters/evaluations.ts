// The buckets of one request while it is decided: what was charged for each in this process, so that all of it can be
// taken back when another bucket refuses.

import { type Lease, rememberedState, type SharedBucketState, type SharedBucketStates } from './bucket-states.js'
import type { Algorithm, Bucket, BucketState } from './counters.js'
import { currentLease, noteDemand } from './demand.js'
import { capacity, createShares } from './lease-terms.js'
import type { Meter } from './meter.js'
import type { MeterTable } from './meter-table.js'
import { metering } from './metering.js'
import { toMicroseconds } from './microseconds.js'

export interface BucketEvaluation {
  bucket: Bucket
  /**
   * Where it is decided: on a meter of this process, on a lease, by a refusal that is remembered, by Redis, or not at
   * all. `redis` is not decided until `state` is there.
   */
  place: 'meter' | 'lease' | 'remembered' | 'redis' | 'nowhere'
  allowed: boolean
  meter: Meter | undefined
  lease: Lease | undefined
  bucketState: SharedBucketState | undefined
  /** What Redis said. */
  state: BucketState | undefined
}

export interface Evaluator {
  /** Decides and charges a bucket as far as that needs no Redis. */
  evaluate(bucket: Bucket, nowMs: number): BucketEvaluation
  /** Decides and charges a bucket that Redis should have decided; `refuse` is for the caller. */
  evaluateWithoutRedis(evaluation: BucketEvaluation, nowMs: number): void
  /** Takes back what was charged here. */
  release(evaluation: BucketEvaluation, nowMs: number): void
  describe(evaluation: BucketEvaluation, nowMs: number): BucketState
  /** The answer for a bucket without charging it and without Redis. */
  look(bucket: Bucket, nowMs: number): BucketState
  /** What this instance let through of a bucket while Redis was gone, and forgets it. */
  takeDebt(bucketState: SharedBucketState, nowMs: number): number
}

/** `local` has the meters of local buckets, `fallback` those of others while Redis is gone. */
export function createEvaluator(options: {
  local: MeterTable
  fallback: MeterTable
  bucketStates: SharedBucketStates
  instances: () => number
}): Evaluator {
  const { local, fallback, bucketStates, instances } = options
  const share = createShares()

  const evaluateOnMeter = (evaluation: BucketEvaluation, meter: Meter, nowMs: number): BucketEvaluation => {
    const nowUs = toMicroseconds(nowMs)
    evaluation.place = 'meter'
    evaluation.meter = meter
    evaluation.allowed = metering.fits(meter, fitting(evaluation.bucket, meter), nowUs)
    if (evaluation.allowed) metering.charge(meter, evaluation.bucket.cost, nowUs)
    return evaluation
  }

  return {
    evaluate(bucket, nowMs) {
      const evaluation = newEvaluation(bucket)
      if (bucket.mode === undefined || bucket.mode === 'local') {
        const algorithm = share(bucket.algorithm, instances())
        return evaluateOnMeter(evaluation, local.require(bucket.key, algorithm, toMicroseconds(nowMs)), nowMs)
      }
      const bucketState = bucketStates.open(bucket.key, bucket.algorithm, nowMs)
      if (bucketState === undefined) return evaluation
      evaluation.bucketState = bucketState
      if (nowMs < bucketState.refusedUntilMs && isRefusedToo(bucket, bucketState)) {
        evaluation.place = 'remembered'
        evaluation.allowed = false
        return evaluation
      }
      noteDemand(bucketState, bucket.cost, nowMs)
      return bucket.mode === 'leased' ? evaluateOnLease(evaluation, bucketState, nowMs) : evaluation
    },
    evaluateWithoutRedis(evaluation, nowMs) {
      const { bucket, bucketState } = evaluation
      evaluation.place = 'nowhere'
      if (bucket.onDown === 'pass') return
      const algorithm = share(bucket.algorithm, instances())
      const isNew = !fallback.has(bucket.key)
      const meter = fallback.require(bucket.key, algorithm, toMicroseconds(nowMs))
      if (isNew && meter.shared !== true) chargeWhatIsKnown(meter, bucketState, bucket.algorithm, instances(), nowMs)
      evaluateOnMeter(evaluation, meter, nowMs)
      if (evaluation.allowed && bucketState !== undefined) bucketState.debt += bucket.cost
    },
    release(evaluation, nowMs) {
      if (!evaluation.allowed) return
      const { cost } = evaluation.bucket
      if (evaluation.place === 'lease' && evaluation.lease !== undefined) evaluation.lease.units += cost
      if (evaluation.place !== 'meter' || evaluation.meter === undefined) return
      metering.takeBack(evaluation.meter, cost, toMicroseconds(nowMs), toMicroseconds(nowMs))
      if (evaluation.bucketState !== undefined)
        evaluation.bucketState.debt = Math.max(0, evaluation.bucketState.debt - cost)
    },
    describe(evaluation, nowMs) {
      const { bucket, meter, bucketState, allowed } = evaluation
      if (meter !== undefined) {
        return metering.describe(meter, fitting(bucket, meter), allowed, toMicroseconds(nowMs))
      }
      if (evaluation.state !== undefined) return evaluation.state
      return rememberedState(
        evaluation.place === 'nowhere' ? undefined : bucketState,
        allowed,
        capacity(bucket.algorithm),
        nowMs,
      )
    },
    look(bucket, nowMs) {
      const isLocal = bucket.mode === undefined || bucket.mode === 'local'
      if (!isLocal && bucket.onDown === 'pass') {
        return rememberedState(undefined, true, capacity(bucket.algorithm), nowMs)
      }
      const nowUs = toMicroseconds(nowMs)
      const meter = (isLocal ? local : fallback).find(bucket.key, share(bucket.algorithm, instances()), nowUs)
      const cost = fitting(bucket, meter)
      return metering.describe(meter, cost, metering.fits(meter, cost, nowUs), nowUs)
    },
    takeDebt(bucketState, nowMs) {
      const { debt } = bucketState
      bucketState.debt = 0
      // What has been forgotten since does not count any more in Redis either.
      return Math.min(debt, fallback.remove(bucketState.key, toMicroseconds(nowMs)))
    },
  }
}

/**
 * More than a cost that was refused does not fit either; when it will is told later, and when it never will by Redis.
 */
function isRefusedToo({ cost, algorithm }: Bucket, { refusedCost }: SharedBucketState): boolean {
  return cost === refusedCost || (cost > refusedCost && cost <= capacity(algorithm))
}

/**
 * How much must be free for a request: its cost. One that costs more than this instance's part, and no more than the
 * whole limit, waits until all of the part is free, is charged in full, and so keeps the part closed until the rest is
 * worked off.
 */
function fitting({ cost, algorithm }: Bucket, meter: Meter): number {
  return cost <= capacity(algorithm) ? Math.min(cost, capacity(meter.algorithm)) : cost
}

function newEvaluation(bucket: Bucket): BucketEvaluation {
  return {
    bucket,
    place: 'redis',
    allowed: true,
    meter: undefined,
    lease: undefined,
    bucketState: undefined,
    state: undefined,
  }
}

function evaluateOnLease(
  evaluation: BucketEvaluation,
  bucketState: SharedBucketState,
  nowMs: number,
): BucketEvaluation {
  const lease = currentLease(bucketState, nowMs)
  if (lease === undefined || lease.units < evaluation.bucket.cost) return evaluation
  lease.units -= evaluation.bucket.cost
  evaluation.place = 'lease'
  evaluation.lease = lease
  return evaluation
}

/**
 * A share that starts when Redis goes away is not a full one: of what was used by the last answer this instance counts
 * its part, so that all shares together stay near what is left (F31).
 */
function chargeWhatIsKnown(
  meter: Meter,
  bucketState: SharedBucketState | undefined,
  algorithm: Algorithm,
  instances: number,
  nowMs: number,
): void {
  if (bucketState === undefined) return
  const isRecent = nowMs - bucketState.knownAtMs < algorithm.periodMs
  const used = isRecent ? Math.max(0, capacity(algorithm) - bucketState.remaining) : 0
  const part = Math.ceil(used / Math.max(1, instances)) + bucketState.debt
  metering.charge(meter, Math.min(part, capacity(meter.algorithm)), toMicroseconds(nowMs))
}
