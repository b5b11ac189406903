// The one instance that does the periodic work for all: the holder of the lease `leader`. It lasts 15 seconds and
// is renewed every 5; given up at a clean stop, so that another takes over at once. Others take it when it has not
// changed for 15 seconds by their monotonic clock, so no wall clock that is wrong takes it from one that lives, or keeps
// it for one that is gone. Who leads has the time of most: keys are changed and rows deleted by it. Two may lead for a
// moment, when one was stopped in the middle of its work: every job is harmless then, because each looks again in its
// transaction.

import { processTimers, type Timers } from '../storage/changes/timers.js'
import { type Lease, readLease, releaseLease, takeLease } from '../storage/sql/cluster/leases.js'
import type { Store } from '../storage/sql/store.js'
import { isTrustedClock } from './clock-vote.js'

export interface Leader {
  /** Whether this instance leads now, by its monotonic clock: a lease that could not be renewed ends by itself. */
  isLeader(): boolean
  /** The instance that leads, as far as its lease was renewed; undefined when none does. Throws StoreUnavailable. */
  holder(): Promise<string | undefined>
  /** Tries at once, then every five seconds. */
  begin(): void
  /** Gives the lease up. */
  end(): Promise<void>
}

const leaseName = 'leader'
const leaseMs = 15_000
const renewMs = 5_000

/** It leads from now on, leads no longer, or may not lead because of its clock, until `right clock`. */
export type LeaderChange = 'leads' | 'ended' | 'wrong clock' | 'right clock'

/**
 * `onChange` hears of each change once. `now`: epoch milliseconds. `clockDifferences`: by how many milliseconds the wall
 * clock of each other instance is ahead of this one's; undefined: not known yet. `storeClock`: that of the Store, in
 * epoch milliseconds.
 */
export function createLeader(options: {
  store: Pick<Store, 'transaction' | 'reader'>
  holder: string
  now: () => number
  monotonic: () => number
  clockDifferences: () => readonly (number | undefined)[]
  storeClock: () => Promise<number>
  onChange: (change: LeaderChange) => void
  onError: (error: unknown) => void
  /** Absent: the process's. */
  timers?: Timers
}): Leader {
  const { store, holder, now, monotonic, onChange, onError, timers = processTimers } = options
  let heldUntil = Number.NEGATIVE_INFINITY
  let observed: { lease: Lease; since: number } | undefined
  let reported = false
  let isWrong = false
  let cancel = (): void => {}
  let trying: Promise<void> = Promise.resolve()
  let ended = false

  const isLeader = (): boolean => monotonic() < heldUntil
  const tell = (): void => {
    if (isLeader() === reported) return
    reported = !reported
    onChange(reported ? 'leads' : 'ended')
  }
  const tellClock = (wrong: boolean): void => {
    if (wrong === isWrong) return
    isWrong = wrong
    onChange(wrong ? 'wrong clock' : 'right clock')
  }
  /** The lease as it is written down, and whether it is another's that was renewed, as far as this one has watched. */
  async function look(): Promise<{ lease: Lease | undefined; isHeld: boolean }> {
    const lease = await readLease(store.reader, leaseName)
    if (lease?.holder !== observed?.lease.holder || lease?.endsAt !== observed?.lease.endsAt) {
      observed = lease && { lease, since: monotonic() }
    }
    const isOver = observed === undefined || monotonic() - observed.since >= leaseMs
    return { lease, isHeld: lease !== undefined && lease.holder !== holder && !isOver }
  }
  async function isClockTrusted(): Promise<boolean> {
    const others = options.clockDifferences()
    if (others.length === 0) return isTrustedClock([], undefined)
    // A Store whose clock cannot be read has no vote.
    const storeAt = await options.storeClock().catch((error: unknown) => void onError(error))
    return isTrustedClock(others, storeAt === undefined ? undefined : storeAt - now())
  }
  async function attempt(): Promise<void> {
    const requestedAt = monotonic()
    try {
      const { lease, isHeld } = await look()
      const may = await isClockTrusted()
      tellClock(!may)
      if (isHeld) heldUntil = Number.NEGATIVE_INFINITY
      else if (may) await take(requestedAt, lease)
      else await giveUp()
    } catch (error) {
      onError(error)
    }
    tell()
  }
  async function take(requestedAt: number, over: Lease | undefined): Promise<void> {
    const lease = { name: leaseName, holder, endsAt: now() + leaseMs, over }
    const taken = await store.transaction((tx) => takeLease(tx, lease))
    heldUntil = taken ? requestedAt + leaseMs : Number.NEGATIVE_INFINITY
  }
  async function giveUp(): Promise<void> {
    if (!isLeader()) return
    heldUntil = Number.NEGATIVE_INFINITY
    await store.transaction((tx) => releaseLease(tx, { name: leaseName, holder }))
  }
  const again = (): void => {
    if (ended) return
    // A lease that is about to be over is looked at right then.
    const restMs = observed === undefined || isLeader() ? renewMs : observed.since + leaseMs - monotonic()
    const pauseMs = renewMs * (0.9 + timers.random() / 5)
    cancel = timers.after(restMs > 0 ? Math.min(pauseMs, restMs + 1) : pauseMs, tryNow)
  }
  const tryNow = (): void => {
    trying = attempt().finally(again)
  }

  return {
    isLeader,
    async holder() {
      if (isLeader()) return holder
      const { lease, isHeld } = await look()
      return isHeld ? lease?.holder : undefined
    },
    begin: tryNow,
    async end() {
      ended = true
      cancel()
      await trying
      await giveUp().catch(onError)
      tell()
    },
  }
}
