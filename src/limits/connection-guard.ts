// Which connections may begin: so many of one address at once, of a network of IPv6 as well, and so many new ones in a
// time. A new connection costs a handshake whether or not anything is sent on it.

import type { Algorithm, Bucket } from '../storage/counters/counters.js'
import type { InProcessCounters } from '../storage/counters/in-process.js'
import { addressGroup, addressNetwork } from './address-group.js'

export interface ConnectionGuardOptions {
  counters: InProcessCounters
  /**
   * New connections of an address group in any `periodMs`; a network has as many times that as it may have connections.
   */
  guard: { limit: number; periodMs: number }
  /** Connections at once. */
  most: { all: number; perAddress: number; perNetwork: number }
  /** Milliseconds of a clock that never goes back. */
  monotonic: () => number
}

/** The rules for a listener's connections; see http/connections/connection-caps.ts. Counts in this process. */
export function createConnectionGuard({ counters, guard, most, monotonic }: ConnectionGuardOptions) {
  const algorithm: Algorithm = { kind: 'quota', limit: guard.limit, periodMs: guard.periodMs }
  const ofNetworks: Algorithm = { ...algorithm, limit: Math.ceil((guard.limit * most.perNetwork) / most.perAddress) }
  return {
    most: most.all,
    groupsOf(address: string) {
      const name = addressGroup(address)
      const own = { kind: 'address', name, most: most.perAddress } as const
      const network = addressNetwork(address)
      return network === undefined ? [own] : [own, { kind: 'network', name: network, most: most.perNetwork } as const]
    },
    mayBegin(address: string): boolean {
      const group = addressGroup(address)
      const buckets: Bucket[] = [{ key: `guard-connections;a${group.length}:${group}`, algorithm, cost: 1 }]
      const network = addressNetwork(address)
      if (network !== undefined) buckets.push({ key: `guard-networks;n${network}`, algorithm: ofNetworks, cost: 1 })
      return counters.take(buckets, monotonic()).every(({ allowed }) => allowed)
    },
  }
}
