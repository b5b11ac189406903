// The meters by key, bounded without ever forgetting one that counts: who sprays keys would otherwise push a victim's
// counter, or his own, out of the table and let it start anew with a full allowance.

import type { Algorithm, Bucket } from './counters.js'
import { familyOf } from './keys.js'
import type { Meter } from './meter.js'
import { createMeter, metering } from './metering.js'

export interface MeterTable {
  /** The meter that a bucket is charged on, made when it is missing. */
  require(bucket: Bucket, nowUs: number): Meter
  /** The meter that it would be charged on, for looking only: none is kept for it. */
  find(bucket: Bucket, nowUs: number): Meter
  /** How many keys have a meter of their own. */
  size(): number
  clear(): void
}

/** How many keys of a family have a meter, and the meters of those that found no room. */
interface Family {
  keys: number
  shared: Meter | undefined
}

interface Entry {
  meter: Meter
  family: Family
  /** When it was last asked for: a decision charges its meters only after it has all of them. */
  requiredAt: number
}

/** Entries looked at for each new key: more than one, so that the dead leave faster than the new come. */
const SWEEP_STEPS = 4
const SWEEP_STEPS_WHEN_FULL = 64

/**
 * An empty table for at most `maxKeys` keys of each family. When that many count, the family's new keys share one meter:
 * a flood of new subjects then limits other new subjects, and nobody who was known before.
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
    const family = families.get(name) ?? { keys: 0, shared: undefined }
    families.set(name, family)
    return family
  }

  const add = (bucket: Bucket, nowUs: number): Meter => {
    const family = requireFamily(bucket.key)
    sweep(SWEEP_STEPS, nowUs)
    if (family.keys >= maxKeys) sweep(SWEEP_STEPS_WHEN_FULL, nowUs)
    if (family.keys >= maxKeys) {
      family.shared = withAlgorithm(family.shared ?? createMeter(bucket.algorithm, nowUs), bucket.algorithm, nowUs)
      family.shared.shared = true
      return family.shared
    }
    const meter = createMeter(bucket.algorithm, nowUs)
    entries.set(bucket.key, { meter, family, requiredAt: nowUs })
    family.keys += 1
    return meter
  }

  return {
    require(bucket, nowUs) {
      const known = entries.get(bucket.key)
      if (known === undefined) return add(bucket, nowUs)
      known.meter = withAlgorithm(known.meter, bucket.algorithm, nowUs)
      known.requiredAt = nowUs
      return known.meter
    },
    find(bucket, nowUs) {
      const known = entries.get(bucket.key)?.meter
      const family = families.get(familyOf(bucket.key))
      const shared = family !== undefined && family.keys >= maxKeys ? family.shared : undefined
      return withAlgorithm(known ?? shared ?? createMeter(bucket.algorithm, nowUs), bucket.algorithm, nowUs)
    },
    size: () => entries.size,
    clear() {
      entries.clear()
      families.clear()
    },
  }
}

/**
 * The meter itself, or one for new numbers on which the units already used count on: a reload of the configuration gives
 * nobody a fresh allowance.
 */
function withAlgorithm(meter: Meter, algorithm: Algorithm, nowUs: number): Meter {
  if (isSame(meter.algorithm, algorithm)) return meter
  const capacity = algorithm.kind === 'rate' ? algorithm.burst : algorithm.limit
  const renewed = createMeter(algorithm, nowUs)
  metering.charge(renewed, Math.min(Math.ceil(metering.used(meter, nowUs)), capacity), nowUs)
  if (meter.shared === true) renewed.shared = true
  return renewed
}

function isSame(one: Algorithm, other: Algorithm): boolean {
  if (one === other) return true
  if (one.limit !== other.limit || one.periodMs !== other.periodMs) return false
  return one.kind === 'rate' ? other.kind === 'rate' && one.burst === other.burst : other.kind === 'quota'
}
