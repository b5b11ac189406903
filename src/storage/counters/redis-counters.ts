// The Counters that several instances share (decision 45). A request whose buckets are all local, leased with units at
// hand, or lately refused is decided here and at once; any other takes one round trip, in which all its buckets in Redis
// are decided together.

import type { RedisConnection } from '../redis/connection.js'
import { createAccounts } from './accounts.js'
import { type BucketState, type Counters, CountersUnavailable, type WhenDown } from './counters.js'
import { createLeasing } from './leasing.js'
import { createMeterTable } from './meter-table.js'
import { type Ask, createDecider, type Told } from './redis-decision.js'
import { createPeek } from './redis-peek.js'
import { createSeating, type Seat } from './seats.js'

export interface RedisCountersOptions {
  /** Opened for `counters`; closed by who opened it. */
  redis: RedisConnection
  /** Live instances as last known, this one among them. */
  instances: () => number
  /** Milliseconds of the clock whose times `take` is given. */
  monotonic: () => number
  /** Bounds the keys of each family that are counted here, and the buckets in Redis of which something is remembered. */
  maxEntries?: number
  /** Called for values under our keys that were not ours. They count as empty and are written anew. */
  onCorrupt?: (values: number) => void
  /** Called for each bucket that was decided without Redis although Redis should have. */
  onFallback?: (how: WhenDown) => void
  /**
   * Called with the RedisUnavailable of a decision that failed although the connection is up (memory full, a command that
   * the user may not run), at most every ten seconds.
   */
  onFailure?: (error: unknown) => void
  /** For tests: `caller` lets the scripts reckon with the times given to `take` instead of the server's clock. */
  clock?: 'redis' | 'caller'
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
  const accounts = createAccounts(maxEntries)
  const seating = createSeating({ local, fallback, accounts, instances })
  const { onCorrupt = () => undefined, clock = 'redis' } = options
  const decider = createDecider({ redis, instances, onCorrupt, clock })
  const leasing = createLeasing({ decider, seating, instances, monotonic, isUp: () => redis.isUp })

  let reportedAt = Number.NEGATIVE_INFINITY
  const report = (error: unknown): void => {
    // That the connection is lost is told by the connection.
    if (!redis.isUp || monotonic() - reportedAt < REPORT_MS) return
    reportedAt = monotonic()
    options.onFailure?.(error)
  }

  const withoutRedis = (seats: readonly Seat[], nowMs: number): BucketState[] => {
    const undecided = seats.filter((seat) => seat.place === 'redis')
    for (const { bucket } of undecided) onFallback(bucket.onDown ?? 'local')
    if (undecided.some(({ bucket }) => bucket.onDown === 'refuse')) {
      for (const seat of seats) seating.release(seat, nowMs)
      throw new CountersUnavailable('shared limits cannot be counted now')
    }
    for (const seat of undecided) seating.seatWithoutRedis(seat, nowMs)
    return conclude(seats, nowMs)
  }

  const conclude = (seats: readonly Seat[], nowMs: number): BucketState[] => {
    if (seats.some((seat) => !seat.allowed)) for (const seat of seats) seating.release(seat, nowMs)
    return seats.map((seat) => seating.describe(seat, nowMs))
  }

  const takeAnswer = (seat: Seat, ask: Ask, told: Told, nowMs: number): void => {
    if (seat.account !== undefined) leasing.learn(ask, told, seat.bucket, seat.account, nowMs)
    seat.state = told.state
    seat.allowed = told.state.allowed
  }

  const withRedis = async (seats: readonly Seat[], nowMs: number): Promise<BucketState[]> => {
    const asked = seats.filter((seat) => seat.place === 'redis')
    const asks = asked.map(({ bucket, account }) => leasing.ask(bucket, account, nowMs))
    try {
      const told = await decider.decide('take', asks, nowMs)
      asked.forEach((seat, index) => {
        takeAnswer(seat, asks[index] as Ask, told[index] as Told, nowMs)
      })
    } catch (error) {
      report(error)
      asked.forEach(({ account }, index) => {
        if (account !== undefined) leasing.forget(asks[index] as Ask, account, nowMs)
      })
      return withoutRedis(seats, nowMs)
    }
    return conclude(seats, nowMs)
  }

  return {
    take(buckets, nowMs) {
      const seats: Seat[] = []
      let asks = false
      let refused = false
      for (const bucket of buckets) {
        const seat = seating.seat(bucket, nowMs)
        asks ||= seat.place === 'redis'
        refused ||= !seat.allowed
        seats.push(seat)
      }
      if (asks && !refused) return redis.isUp ? withRedis(seats, nowMs) : withoutRedis(seats, nowMs)
      const states = conclude(seats, nowMs)
      for (const { lease, bucket, account } of seats) {
        if (lease !== undefined && account !== undefined) leasing.renew(bucket, account, nowMs)
      }
      return states
    },
    peek: createPeek({ redis, decider, seating }),
    size: () => accounts.size() + local.size() + fallback.size(),
    async close() {
      await leasing.close()
      for (const table of [local, fallback, accounts]) table.clear()
    },
  }
}
