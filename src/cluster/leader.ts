// The one instance that does the periodic work for all: the holder of the lease `leader`. It lasts 15 seconds and
// is renewed every 5; given up at a clean stop, so that another takes over at once. Others take it when it has not
// changed for 15 seconds by their monotonic clock, so no wall clock that is wrong takes it from one that lives, or keeps
// it for one that is gone. Who leads has the time of most: keys are changed and rows deleted by it. Two may lead for a
// moment, when one was stopped in the middle of its work: every job is harmless then, because each looks again in its
// transaction.

import { processTimers, type Timers } from '../storage/changes/timers.js'
import { type Lease, readLease, releaseLease, takeLease } from '../storage/sql/cluster/leases.js'
import type { Store } from '../storage/sql/store.js'

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
/** By how much clocks may differ, as tokens allow. */
const leewayMs = 60_000

/** It leads from now on, or no longer, and why. */
export type LeaderChange = 'leads' | 'ended' | 'wrong clock'

/**
 * `onChange` hears of it when this instance begins to lead or no longer does. `now`: epoch milliseconds.
 * `clockDifferences`: by how many milliseconds the wall clock of each other instance differs from this one's;
 * `storeClock`: that of the Store, in epoch milliseconds.
 */
export function createLeader(options: {
  store: Pick<Store, 'transaction' | 'reader'>
  holder: string
  now: () => number
  monotonic: () => number
  clockDifferences: () => readonly number[]
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
  let cancel = (): void => {}
  let trying: Promise<void> = Promise.resolve()
  let ended = false

  const isLeader = (): boolean => monotonic() < heldUntil
  const tell = (why: LeaderChange = 'ended'): void => {
    if (isLeader() === reported) return
    reported = !reported
    onChange(reported ? 'leads' : why)
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
  /**
   * Whether most of the other clocks, the Store's among them, differ from this one. An instance that is alone leads.
   */
  async function isWrongClock(): Promise<boolean> {
    const others = options.clockDifferences()
    if (others.length === 0) return false
    const differences = [...others, Math.abs((await options.storeClock()) - now())]
    return differences.filter((ms) => ms > leewayMs).length * 2 > differences.length
  }
  async function attempt(): Promise<void> {
    const requestedAt = monotonic()
    let why: LeaderChange | undefined
    try {
      const { lease, isHeld } = await look()
      if (isHeld) heldUntil = Number.NEGATIVE_INFINITY
      else if (await isWrongClock()) {
        why = 'wrong clock'
        await giveUp()
      } else await take(requestedAt, lease)
    } catch (error) {
      onError(error)
    }
    tell(why)
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
    const pauseMs = restMs > 0 ? Math.min(renewMs, restMs) : renewMs
    cancel = timers.after(pauseMs * (0.9 + timers.random() / 5), tryNow)
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
