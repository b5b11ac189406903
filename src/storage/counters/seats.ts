// The buckets of one request while it is decided: what was charged for each in this process, so that all of it can be
// taken back when another bucket refuses.

import { type Account, type Accounts, type Lease, rememberedState } from './accounts.js'
import type { Algorithm, Bucket, BucketState } from './counters.js'
import { currentLease, noteDemand } from './demand.js'
import { capacity, createShares } from './lease-terms.js'
import type { Meter } from './meter.js'
import type { MeterTable } from './meter-table.js'
import { metering } from './metering.js'
import { toMicroseconds } from './microseconds.js'

export interface Seat {
  bucket: Bucket
  /**
   * Where it is decided: on a meter of this process, on a lease, by a refusal that is remembered, by Redis, or not at all.
   * `redis` is not decided until `state` is there.
   */
  place: 'meter' | 'lease' | 'remembered' | 'redis' | 'nowhere'
  allowed: boolean
  meter: Meter | undefined
  lease: Lease | undefined
  account: Account | undefined
  /** What Redis said. */
  state: BucketState | undefined
}

export interface Seating {
  /** Decides and charges a bucket as far as that needs no Redis. */
  seat(bucket: Bucket, nowMs: number): Seat
  /** Decides and charges a bucket that Redis should have decided; `refuse` is for the caller. */
  seatWithoutRedis(seat: Seat, nowMs: number): void
  /** Takes back what was charged here. */
  release(seat: Seat, nowMs: number): void
  describe(seat: Seat, nowMs: number): BucketState
  /** The answer for a bucket without charging it and without Redis. */
  look(bucket: Bucket, nowMs: number): BucketState
  /** What this instance let through of a bucket while Redis was gone, and forgets it. */
  takeDebt(account: Account, nowMs: number): number
}

/** `local` has the meters of local buckets, `fallback` those of others while Redis is gone. */
export function createSeating(options: {
  local: MeterTable
  fallback: MeterTable
  accounts: Accounts
  instances: () => number
}): Seating {
  const { local, fallback, accounts, instances } = options
  const share = createShares()

  const seatOnMeter = (seat: Seat, meter: Meter, nowMs: number): Seat => {
    const nowUs = toMicroseconds(nowMs)
    seat.place = 'meter'
    seat.meter = meter
    seat.allowed = metering.fits(meter, fitting(seat.bucket, meter), nowUs)
    if (seat.allowed) metering.charge(meter, seat.bucket.cost, nowUs)
    return seat
  }

  return {
    seat(bucket, nowMs) {
      const seat = newSeat(bucket)
      if (bucket.mode === undefined || bucket.mode === 'local') {
        const algorithm = share(bucket.algorithm, instances())
        return seatOnMeter(seat, local.require(bucket.key, algorithm, toMicroseconds(nowMs)), nowMs)
      }
      const account = accounts.open(bucket.key, bucket.algorithm, nowMs)
      if (account === undefined) return seat
      seat.account = account
      if (nowMs < account.refusedUntilMs && isRefusedToo(bucket, account)) {
        seat.place = 'remembered'
        seat.allowed = false
        return seat
      }
      noteDemand(account, bucket.cost, nowMs)
      return bucket.mode === 'leased' ? seatOnLease(seat, account, nowMs) : seat
    },
    seatWithoutRedis(seat, nowMs) {
      const { bucket, account } = seat
      seat.place = 'nowhere'
      if (bucket.onDown === 'pass') return
      const algorithm = share(bucket.algorithm, instances())
      const isNew = !fallback.has(bucket.key)
      const meter = fallback.require(bucket.key, algorithm, toMicroseconds(nowMs))
      if (isNew && meter.shared !== true) chargeWhatIsKnown(meter, account, bucket.algorithm, instances(), nowMs)
      seatOnMeter(seat, meter, nowMs)
      if (seat.allowed && account !== undefined) account.debt += bucket.cost
    },
    release(seat, nowMs) {
      if (!seat.allowed) return
      const { cost } = seat.bucket
      if (seat.place === 'lease' && seat.lease !== undefined) seat.lease.units += cost
      if (seat.place !== 'meter' || seat.meter === undefined) return
      metering.takeBack(seat.meter, cost, toMicroseconds(nowMs), toMicroseconds(nowMs))
      if (seat.account !== undefined) seat.account.debt = Math.max(0, seat.account.debt - cost)
    },
    describe(seat, nowMs) {
      const { bucket, meter, account, allowed } = seat
      if (meter !== undefined) {
        return metering.describe(meter, fitting(bucket, meter), allowed, toMicroseconds(nowMs))
      }
      if (seat.state !== undefined) return seat.state
      return rememberedState(seat.place === 'nowhere' ? undefined : account, allowed, capacity(bucket.algorithm), nowMs)
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
    takeDebt(account, nowMs) {
      const { debt } = account
      account.debt = 0
      // What has been forgotten since does not count any more in Redis either.
      return Math.min(debt, fallback.remove(account.key, toMicroseconds(nowMs)))
    },
  }
}

/** More than a cost that was refused does not fit either; when it will is told later, and when it never will by Redis. */
function isRefusedToo({ cost, algorithm }: Bucket, { refusedCost }: Account): boolean {
  return cost === refusedCost || (cost > refusedCost && cost <= capacity(algorithm))
}

/**
 * How much must be free for a request: its cost. One that costs more than this instance's part, and no more than the whole
 * limit, waits until all of the part is free, is charged in full, and so keeps the part closed until the rest is worked off.
 */
function fitting({ cost, algorithm }: Bucket, meter: Meter): number {
  return cost <= capacity(algorithm) ? Math.min(cost, capacity(meter.algorithm)) : cost
}

function newSeat(bucket: Bucket): Seat {
  return {
    bucket,
    place: 'redis',
    allowed: true,
    meter: undefined,
    lease: undefined,
    account: undefined,
    state: undefined,
  }
}

function seatOnLease(seat: Seat, account: Account, nowMs: number): Seat {
  const lease = currentLease(account, nowMs)
  if (lease === undefined || lease.units < seat.bucket.cost) return seat
  lease.units -= seat.bucket.cost
  seat.place = 'lease'
  seat.lease = lease
  return seat
}

/**
 * A share that starts when Redis goes away is not a full one: of what was used by the last answer this instance counts
 * its part, so that all shares together stay near what is left (F31).
 */
function chargeWhatIsKnown(
  meter: Meter,
  account: Account | undefined,
  algorithm: Algorithm,
  instances: number,
  nowMs: number,
): void {
  if (account === undefined) return
  const isRecent = nowMs - account.knownAtMs < algorithm.periodMs
  const used = isRecent ? Math.max(0, capacity(algorithm) - account.remaining) : 0
  const part = Math.ceil(used / Math.max(1, instances)) + account.debt
  metering.charge(meter, Math.min(part, capacity(meter.algorithm)), toMicroseconds(nowMs))
}
