// Units that are taken ahead: asked for with a decision or in the background, never twice at once for one bucket, and
// given back when their lease ends before they are spent.

import type { Account, Lease } from './accounts.js'
import type { Bucket } from './counters.js'
import { currentLease, expectedUnits } from './demand.js'
import { leaseMs, mostAhead } from './lease-terms.js'
import type { Ask, Decider, Told } from './redis-decision.js'
import { isSameAlgorithm } from './same-algorithm.js'
import type { Seating } from './seats.js'

export interface Leasing {
  /** How Redis is asked about a bucket, with units ahead when they will be needed. */
  ask(bucket: Bucket, account: Account | undefined, nowMs: number): Ask
  /** Takes over what Redis said. `nowMs` is when it was asked. */
  learn(ask: Ask, told: Told, bucket: Bucket, account: Account, nowMs: number): void
  /** Nothing was heard of it. What it would have given back is lost: to give it back twice would be worse. */
  forget(ask: Ask, account: Account, nowMs: number): void
  /** After units were spent: asks for the next lease in the background when this one nears its end. */
  renew(bucket: Bucket, account: Account, nowMs: number): void
  close(): Promise<void>
}

const TICK_MS = 250
const RETURNS_IN_A_CALL = 50
const REFUSAL_MS = 1_000

/** `monotonic` is in milliseconds; `isUp` says whether Redis can be asked. */
export function createLeasing(options: {
  decider: Decider
  seating: Seating
  instances: () => number
  monotonic: () => number
  isUp: () => boolean
}): Leasing {
  const { decider, seating, instances, monotonic, isUp } = options
  /** Accounts that have a lease or something to give back. */
  const holding = new Set<Account>()

  const giveBack = async (asks: Ask[]): Promise<void> => {
    for (let i = 0; i < asks.length && isUp(); i += RETURNS_IN_A_CALL) {
      const batch = asks.slice(i, i + RETURNS_IN_A_CALL)
      await decider.decide('take', batch, monotonic()).catch(() => undefined)
    }
  }
  const tick = (): void => {
    const now = monotonic()
    const asks: Ask[] = []
    for (const account of holding) {
      currentLease(account, now)
      if (account.leftover !== undefined) asks.push(returning(account))
      if (account.lease === undefined) holding.delete(account)
    }
    void giveBack(asks)
  }
  const timer = setInterval(tick, TICK_MS)
  timer.unref()

  const ask = (bucket: Bucket, account: Account | undefined, cost: number, nowMs: number): Ask => {
    const life = bucket.mode === 'leased' ? leaseMs(bucket.algorithm) : 0
    const { key, algorithm } = bucket
    if (account === undefined) return { key, algorithm, cost, leaseMs: life, want: 0, debt: 0, leftover: undefined }
    const { leftover } = account
    account.leftover = undefined
    const isFree = life > 0 && !account.isRefilling && account.next === undefined && nowMs >= account.refillAfterMs
    const want = isFree ? expectedUnits(account, life, mostAhead(algorithm, instances())) : 0
    if (want > 0) account.isRefilling = true
    return { key, algorithm, cost, leaseMs: life, want, debt: seating.takeDebt(account, nowMs), leftover }
  }

  const takeLease = (asked: Ask, told: Told, account: Account, nowMs: number): void => {
    account.isRefilling = false
    // Asked for under other numbers than those that hold now: not spent.
    if (!isSameAlgorithm(asked.algorithm, account.algorithm)) return
    if (told.ahead === 0) {
      account.refillAfterMs = nowMs + asked.leaseMs / 4
      return
    }
    const { ahead: units, birth, slot } = told
    const lease: Lease = { units, size: units, endsAtMs: nowMs + asked.leaseMs, birth, slot }
    if (account.lease === undefined) account.lease = lease
    else account.next = lease
    holding.add(account)
  }

  const learn = (asked: Ask, told: Told, account: Account, nowMs: number): void => {
    if (asked.want > 0) takeLease(asked, told, account, nowMs)
    if (nowMs < account.knownAtMs) return
    account.knownAtMs = nowMs
    account.remaining = told.state.remaining
    account.resetAtMs = nowMs + told.state.resetMs
  }

  const forget = (asked: Ask, account: Account, nowMs: number): void => {
    account.debt += asked.debt
    if (asked.want === 0) return
    account.isRefilling = false
    account.refillAfterMs = nowMs + asked.leaseMs / 4
  }

  return {
    ask: (bucket, account, nowMs) => ask(bucket, account, bucket.cost, nowMs),
    learn(asked, told, bucket, account, nowMs) {
      learn(asked, told, account, nowMs)
      const { allowed, retryAfterMs } = told.state
      // That little fits says nothing of more.
      if (allowed && bucket.cost >= account.refusedCost) account.refusedUntilMs = Number.NEGATIVE_INFINITY
      if (allowed || retryAfterMs === 0 || !isSameAlgorithm(asked.algorithm, account.algorithm)) return
      account.refusedCost = bucket.cost
      account.retryAtMs = nowMs + retryAfterMs
      // Units that others give back can come earlier than the answer says, but not before their lease ends.
      account.refusedUntilMs = nowMs + Math.min(retryAfterMs, asked.leaseMs > 0 ? asked.leaseMs : REFUSAL_MS)
    },
    forget,
    renew(bucket, account, nowMs) {
      const { lease } = account
      if (lease === undefined || account.isRefilling || account.next !== undefined || !isUp()) return
      const life = leaseMs(bucket.algorithm)
      if (lease.units * 2 > lease.size && lease.endsAtMs - nowMs > life / 4) return
      if (nowMs < account.refillAfterMs || expectedUnits(account, life, mostAhead(bucket.algorithm, instances())) === 0)
        return
      const asked = ask(bucket, account, 0, nowMs)
      decider.decide('take', [asked], nowMs).then(
        ([told]) => (told === undefined ? forget(asked, account, nowMs) : learn(asked, told, account, nowMs)),
        () => forget(asked, account, nowMs),
      )
    },
    async close() {
      clearInterval(timer)
      const asks: Ask[] = []
      for (const account of holding) {
        if (account.leftover !== undefined) asks.push(returning(account))
        for (const lease of [account.lease, account.next]) {
          if (lease === undefined || lease.units === 0 || account.algorithm.kind !== 'quota') continue
          asks.push(returning({ ...account, leftover: lease }))
        }
        account.lease = undefined
        account.next = undefined
      }
      holding.clear()
      await giveBack(asks)
    },
  }
}

/** An ask that takes nothing and gives back what is left. */
function returning(account: Account): Ask {
  const { key, algorithm, leftover } = account
  account.leftover = undefined
  return { key, algorithm, cost: 0, leaseMs: 0, want: 0, debt: 0, leftover }
}
