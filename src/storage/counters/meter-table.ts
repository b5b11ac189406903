// The meters by key, bounded without ever forgetting one that counts: who sprays keys would otherwise push a victim's
// counter, or his own, out of the table and let it start anew with a full allowance.

import { coarserKeys } from './coarser-keys.js'
import type { Algorithm } from './counters.js'
import { familyOf } from './keys.js'
import type { Meter } from './meter.js'
import { createMeter, metering } from './metering.js'
import { isSameAlgorithm } from './same-algorithm.js'

export interface MeterTable {
  /** The meter that a key is charged on, made when it is missing. */
  require(key: string, algorithm: Algorithm, nowUs: number): Meter
  /** The meter that it would be charged on, for looking only: none is kept for it. */
  find(key: string, algorithm: Algorithm, nowUs: number): Meter
  /** True when the key has a meter of its own. */
  has(key: string): boolean
  /** Forgets the key's own meter and gives the units that still counted on it, rounded up. */
  remove(key: string, nowUs: number): number
  /** How many keys have a meter of their own. */
  size(): number
  clear(): void
}

/**
 * How many keys of a family have a meter, and the meters of those that found no room: by network, and of all others.
 */
interface Family {
  keys: number
  networks: Map<string, { meter: Meter; requiredAt: number }>
  shared: Meter | undefined
}

interface Entry {
  meter: Meter
  family: Family
  /** When it was last needed: a decision charges its meters only after it has all of them. */
  requiredAt: number
}

/** Entries looked at for each new key: more than one, so that the dead leave faster than the new come. */
const SWEEP_STEPS = 4
const SWEEP_STEPS_WHEN_FULL = 64
/** So many networks have a meter when addresses find no room, for each key that has one. */
const NETWORKS = 1 / 8

/**
 * An empty table for at most `maxKeys` keys of each family. When that many count, the family's new keys share meters:
 * new addresses one for each of their networks, all others one. A flood of new subjects then limits other new subjects,
 * of addresses those beside it, and nobody who was known before.
 */
export function createMeterTable(maxKeys: number): MeterTable {
  const entries = new Map<string, Entry>()
  const families = new Map<string, Family>()
  let hand = entries.entries()

  const sweep = (steps: number, nowUs: number): void => {
    for (let step = 0; step < steps; step += 1) {
      const next = hand.next()
      if (next.done === true) {
        hand = entries.entries()
        return
      }
      const [key, entry] = next.value
      // A meter of the decision being made is still empty; forgotten now, it would be charged in vain.
      if (entry.requiredAt === nowUs || metering.used(entry.meter, nowUs) > 0) continue
      entries.delete(key)
      entry.family.keys -= 1
    }
  }

  const requireFamily = (key: string): Family => {
    const name = familyOf(key)
    const family = families.get(name) ?? { keys: 0, networks: new Map(), shared: undefined }
    families.set(name, family)
    return family
  }

  /** The meter of the narrowest network that has one, or that there is room for. */
  const requireNetwork = (family: Family, key: string, algorithm: Algorithm, nowUs: number): Meter | undefined => {
    const { networks } = family
    for (const name of coarserKeys(key)) {
      const known = networks.get(name)
      if (known === undefined && networks.size >= Math.max(1, maxKeys * NETWORKS)) forgetNetworks(networks, nowUs)
      if (known === undefined && networks.size >= Math.max(1, maxKeys * NETWORKS)) continue
      const meter = asShared(known?.meter, algorithm, nowUs)
      networks.set(name, { meter, requiredAt: nowUs })
      return meter
    }
    return undefined
  }

  const add = (key: string, algorithm: Algorithm, nowUs: number): Meter => {
    const family = requireFamily(key)
    sweep(SWEEP_STEPS, nowUs)
    if (family.keys >= maxKeys) sweep(SWEEP_STEPS_WHEN_FULL, nowUs)
    if (family.keys >= maxKeys) {
      const network = requireNetwork(family, key, algorithm, nowUs)
      if (network !== undefined) return network
      family.shared = asShared(family.shared, algorithm, nowUs)
      return family.shared
    }
    const meter = createMeter(algorithm, nowUs)
    entries.set(key, { meter, family, requiredAt: nowUs })
    family.keys += 1
    return meter
  }

  return {
    require(key, algorithm, nowUs) {
      const known = entries.get(key)
      if (known === undefined) return add(key, algorithm, nowUs)
      known.meter = withAlgorithm(known.meter, algorithm, nowUs)
      known.requiredAt = nowUs
      return known.meter
    },
    find(key, algorithm, nowUs) {
      const known = entries.get(key)?.meter
      const family = families.get(familyOf(key))
      const shared = family !== undefined && family.keys >= maxKeys ? sharedBy(family, key) : undefined
      return withAlgorithm(known ?? shared ?? createMeter(algorithm, nowUs), algorithm, nowUs)
    },
    has: (key) => entries.has(key),
    remove(key, nowUs) {
      const entry = entries.get(key)
      if (entry === undefined) return 0
      entries.delete(key)
      entry.family.keys -= 1
      return Math.ceil(metering.used(entry.meter, nowUs))
    },
    size: () => entries.size,
    clear() {
      entries.clear()
      families.clear()
    },
  }
}

/** Looks at some of the networks that were added first; those that count stay, behind the others. */
function forgetNetworks(networks: Family['networks'], nowUs: number): void {
  let steps = 0
  for (const [name, network] of networks) {
    steps += 1
    if (steps > SWEEP_STEPS_WHEN_FULL) return
    networks.delete(name)
    if (network.requiredAt === nowUs || metering.used(network.meter, nowUs) > 0) networks.set(name, network)
  }
}

function sharedBy({ networks, shared }: Family, key: string): Meter | undefined {
  for (const name of coarserKeys(key)) {
    const network = networks.get(name)
    if (network !== undefined) return network.meter
  }
  return shared
}

function asShared(known: Meter | undefined, algorithm: Algorithm, nowUs: number): Meter {
  const meter = withAlgorithm(known ?? createMeter(algorithm, nowUs), algorithm, nowUs)
  meter.shared = true
  return meter
}

/**
 * The meter itself, or one for new numbers on which the units already used count on: a reload of the configuration
 * gives nobody a fresh allowance.
 */
function withAlgorithm(meter: Meter, algorithm: Algorithm, nowUs: number): Meter {
  if (isSameAlgorithm(meter.algorithm, algorithm)) return meter
  const capacity = algorithm.kind === 'rate' ? algorithm.burst : algorithm.limit
  const renewed = createMeter(algorithm, nowUs)
  metering.charge(renewed, Math.min(Math.ceil(metering.used(meter, nowUs)), capacity), nowUs)
  if (meter.shared === true) renewed.shared = true
  return renewed
}
