// The one instance that does the periodic work for all: the holder of the lease `leader`. It lasts 15 seconds and
// is renewed every 5; given up at a clean stop, so that another takes over at once. Two may lead for a moment, when one
// was stopped in the middle of its work or clocks differ: every job is harmless then, because each looks again in its
// transaction.

import { processTimers, type Timers } from '../storage/changes/timers.js'
import { findHolder, releaseLease, takeLease } from '../storage/sql/cluster/leases.js'
import type { Store } from '../storage/sql/store.js'

export interface Leader {
  /** Whether this instance leads now, by its monotonic clock: a lease that could not be renewed ends by itself. */
  isLeader(): boolean
  /**
   * The instance that leads, by the Store and this wall clock; undefined when there is none. Throws StoreUnavailable.
   */
  holder(): Promise<string | undefined>
  /** Tries at once, then every five seconds. */
  begin(): void
  /** Gives the lease up. */
  end(): Promise<void>
}

const leaseName = 'leader'
const leaseMs = 15_000
const renewMs = 5_000

/** `onChange` hears of it when this instance begins to lead or no longer does. `now`: epoch milliseconds. */
export function createLeader(options: {
  store: Pick<Store, 'transaction' | 'reader'>
  holder: string
  now: () => number
  monotonic: () => number
  onChange: (leads: boolean) => void
  onError: (error: unknown) => void
  /** Absent: the process's. */
  timers?: Timers
}): Leader {
  const { store, holder, now, monotonic, onChange, onError, timers = processTimers } = options
  let heldUntil = Number.NEGATIVE_INFINITY
  let reported = false
  let cancel = (): void => {}
  let trying: Promise<void> = Promise.resolve()
  let ended = false

  const isLeader = (): boolean => monotonic() < heldUntil
  const tell = (): void => {
    if (isLeader() === reported) return
    reported = !reported
    onChange(reported)
  }
  async function attempt(): Promise<void> {
    const requestedAt = monotonic()
    try {
      const at = now()
      const lease = { name: leaseName, holder, now: at, endsAt: at + leaseMs }
      const taken = await store.transaction((tx) => takeLease(tx, lease))
      heldUntil = taken ? requestedAt + leaseMs : Number.NEGATIVE_INFINITY
    } catch (error) {
      onError(error)
    }
    tell()
  }
  const again = (): void => {
    if (ended) return
    cancel = timers.after(renewMs * (0.9 + timers.random() / 5), tryNow)
  }
  const tryNow = (): void => {
    trying = attempt().finally(again)
  }

  return {
    isLeader,
    holder: () => findHolder(store.reader, { name: leaseName, now: now() }),
    begin: tryNow,
    async end() {
      ended = true
      cancel()
      await trying
      if (!isLeader()) return
      heldUntil = Number.NEGATIVE_INFINITY
      tell()
      await store.transaction((tx) => releaseLease(tx, { name: leaseName, holder })).catch(onError)
    },
  }
}
