// The Counters that several instances share (decision 45). A request whose buckets are all local, leased with units at
// hand, or lately refused is decided here and at once; any other takes one round trip, in which all its buckets in
// Redis are decided together.

import type { Timers } from '../changes/timers.js'
import type { RedisConnection } from '../redis/connection.js'
import { createBucketStates } from './bucket-states.js'
import { type BucketState, type Counters, CountersUnavailable, type WhenDown } from './counters.js'
import { type BucketEvaluation, createEvaluator } from './evaluations.js'
import { createLeasing } from './leasing.js'
import { createMeterTable } from './meter-table.js'
import { type Ask, createDecider, type RedisAnswer } from './redis-decision.js'
import { createPeek } from './redis-peek.js'

export interface RedisCountersOptions {
  /** Opened for `counters`; closed by who opened it. */
  redis: RedisConnection
  /** Live instances as last known, this one among them. */
  instances: () => number
  /** Milliseconds of the clock whose times `take` is given. */
  monotonic: () => number
  /**
   * Bounds the keys of each family that are counted here, and the buckets in Redis of which something is remembered.
   */
  maxEntries?: number
  /** Called for values under our keys that were not ours. They count as empty and are written anew. */
  onCorrupt?: (values: number) => void
  /** Called for each bucket that was decided without Redis although Redis should have. */
  onFallback?: (how: WhenDown) => void
  /**
   * Called with the RedisUnavailable of a decision that failed although the connection is up (memory full, a command
   * that the user may not run), at most every ten seconds.
   */
  onFailure?: (error: unknown) => void
  /** For tests: `caller` lets the scripts reckon with the times given to `take` instead of the server's clock. */
  clock?: 'redis' | 'caller'
  /** Absent: the process's. */
  timers?: Timers
}

export interface RedisCounters extends Counters {
  /** Buckets in Redis of which something is remembered here, and keys counted here; for the metric. */
  size(): number
}

const MAX_ENTRIES = 100_000
const REPORT_MS = 10_000

/** Counters on a Redis connection. `close` gives unspent leases back. */
export function createRedisCounters(options: RedisCountersOptions): RedisCounters {
  const { redis, instances, monotonic, onFallback = () => undefined } = options
  const maxEntries = options.maxEntries ?? MAX_ENTRIES
  const local = createMeterTable(maxEntries)
  const fallback = createMeterTable(maxEntries)
  const bucketStates = createBucketStates(maxEntries)
  const evaluator = createEvaluator({ local, fallback, bucketStates, instances })
  const { onCorrupt = () => undefined, clock = 'redis' } = options
  const decider = createDecider({ redis, instances, onCorrupt, clock })
  const leasing = createLeasing({
    decider,
    evaluator,
    instances,
    monotonic,
    isUp: () => redis.isUp,
    timers: options.timers,
  })

  let reportedAt = Number.NEGATIVE_INFINITY
  const report = (error: unknown): void => {
    // That the connection is lost is told by the connection.
    if (!redis.isUp || monotonic() - reportedAt < REPORT_MS) return
    reportedAt = monotonic()
    options.onFailure?.(error)
  }

  const withoutRedis = (evaluations: readonly BucketEvaluation[], nowMs: number): BucketState[] => {
    const undecided = evaluations.filter((evaluation) => evaluation.place === 'redis')
    for (const { bucket } of undecided) onFallback(bucket.onDown ?? 'local')
    if (undecided.some(({ bucket }) => bucket.onDown === 'refuse')) {
      for (const evaluation of evaluations) evaluator.release(evaluation, nowMs)
      throw new CountersUnavailable('shared limits cannot be counted now')
    }
    for (const evaluation of undecided) evaluator.evaluateWithoutRedis(evaluation, nowMs)
    return conclude(evaluations, nowMs)
  }

  const conclude = (evaluations: readonly BucketEvaluation[], nowMs: number): BucketState[] => {
    if (evaluations.some((evaluation) => !evaluation.allowed))
      for (const evaluation of evaluations) evaluator.release(evaluation, nowMs)
    return evaluations.map((evaluation) => evaluator.describe(evaluation, nowMs))
  }

  const takeAnswer = (evaluation: BucketEvaluation, ask: Ask, answer: RedisAnswer, nowMs: number): void => {
    if (evaluation.bucketState !== undefined)
      leasing.learn(ask, answer, evaluation.bucket, evaluation.bucketState, nowMs)
    evaluation.state = answer.state
    evaluation.allowed = answer.state.allowed
  }

  const withRedis = async (evaluations: readonly BucketEvaluation[], nowMs: number): Promise<BucketState[]> => {
    const remote = evaluations.filter((evaluation) => evaluation.place === 'redis')
    const asks = remote.map(({ bucket, bucketState }) => leasing.ask(bucket, bucketState, nowMs))
    try {
      const answer = await decider.decide('take', asks, nowMs)
      remote.forEach((evaluation, index) => {
        takeAnswer(evaluation, asks[index] as Ask, answer[index] as RedisAnswer, nowMs)
      })
    } catch (error) {
      report(error)
      remote.forEach(({ bucketState }, index) => {
        if (bucketState !== undefined) leasing.forget(asks[index] as Ask, bucketState, nowMs)
      })
      return withoutRedis(evaluations, nowMs)
    }
    return conclude(evaluations, nowMs)
  }

  return {
    take(buckets, nowMs) {
      const evaluations: BucketEvaluation[] = []
      let asks = false
      let refused = false
      for (const bucket of buckets) {
        const evaluation = evaluator.evaluate(bucket, nowMs)
        asks ||= evaluation.place === 'redis'
        refused ||= !evaluation.allowed
        evaluations.push(evaluation)
      }
      if (asks && !refused) return redis.isUp ? withRedis(evaluations, nowMs) : withoutRedis(evaluations, nowMs)
      const states = conclude(evaluations, nowMs)
      for (const { lease, bucket, bucketState } of evaluations) {
        if (lease !== undefined && bucketState !== undefined) leasing.renew(bucket, bucketState, nowMs)
      }
      return states
    },
    peek: createPeek({ redis, decider, evaluator }),
    size: () => bucketStates.size() + local.size() + fallback.size(),
    async close() {
      await leasing.close()
      for (const table of [local, fallback, bucketStates]) table.clear()
    },
  }
}
