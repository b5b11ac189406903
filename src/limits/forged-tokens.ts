// The brake on forged tokens: a signature costs more than all else that a refusal takes, so an address that has sent
// many that were wrong has no further one looked at for a while. A token that was verified before needs none: honest
// callers behind the same address go on with theirs (decision 136).

import type { Algorithm, Bucket, Counters } from '../storage/counters/counters.js'
import { addressGroup, addressNetwork } from './address-group.js'

/** Nobody sends one by mistake and keeps on; a thousand cost a core less than a tenth of a second. */
const most: Algorithm = { kind: 'quota', limit: 1_000, periodMs: 60_000 }
/** The holder of an IPv6 /48 has 65,536 groups of addresses: together they have four times what one has. */
const mostOfNetwork: Algorithm = { ...most, limit: 4_000 }

export interface ForgedTokens {
  /** Whole seconds until a signature from this address is looked at again; 0: now. Charges nothing. */
  waitSeconds(address: string): number
  /** Counts a signature that was wrong. While it has to wait nothing is added, so waiting ends. */
  record(address: string): void
}

/**
 * Counted by address group, and of IPv6 by network too, in this process alone. `counters` are in-process ones;
 * `monotonic` gives milliseconds. Memory is bounded by the Counters; without a counter of its own an address does not pay for what others send.
 */
export function createForgedTokens(options: { counters: Counters; monotonic: () => number }): ForgedTokens {
  const { counters, monotonic } = options
  const buckets = (address: string): Bucket[] => {
    const own = { key: `forged;${addressGroup(address)}`, algorithm: most, cost: 1 }
    const network = addressNetwork(address)
    return network === undefined
      ? [own]
      : [own, { key: `forged-network;${network}`, algorithm: mostOfNetwork, cost: 1 }]
  }
  // Until two periods after a wrong signature: no state lasts longer.
  let anyUntil = Number.NEGATIVE_INFINITY
  return {
    waitSeconds(address) {
      if (monotonic() > anyUntil) return 0
      const states = counters.peek(buckets(address), monotonic())
      if (!Array.isArray(states)) throw new Error('forged tokens are counted in this process')
      let waitMs = 0
      for (const { allowed, shared, retryAfterMs } of states) {
        if (!allowed && shared !== true) waitMs = Math.max(waitMs, retryAfterMs)
      }
      return waitMs === 0 ? 0 : Math.max(1, Math.ceil(Math.min(waitMs, most.periodMs) / 1000))
    },
    record(address) {
      anyUntil = monotonic() + 2 * most.periodMs
      void counters.take(buckets(address), monotonic())
    },
  }
}
