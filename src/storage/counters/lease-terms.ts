// For how long and how many units may be taken ahead, so that a leased bucket never exceeds its limit and stays below
// it by no more than decision 45 says.

import type { Algorithm } from './counters.js'

const LONGEST_MS = 1_000
/** Below this a lease would hardly outlive the round trip that brought it. */
const SHORTEST_MS = 50

/**
 * Milliseconds that a lease of this algorithm lives; 0 when it is counted strictly instead. Never more than a second.
 * Of a quota at most a slot, a thirtieth of the period. Of a rate so long that a quarter of the burst leaks meanwhile,
 * which is what is held back for it; a unit must fit beside that.
 */
export function leaseMs(algorithm: Algorithm): number {
  const { limit, periodMs } = algorithm
  const most = algorithm.kind === 'quota' ? periodMs / 30 : (algorithm.burst * periodMs) / (4 * limit)
  const life = Math.floor(Math.min(LONGEST_MS, most))
  if (life < SHORTEST_MS) return 0
  return algorithm.kind === 'rate' && algorithm.burst - (limit * life) / periodMs < 1 ? 0 : life
}

/**
 * The most units in one lease. An instance has two of a bucket at most, so all together hold an eighth (a rate's: of
 * its burst a quarter).
 */
export function mostAhead(algorithm: Algorithm, instances: number): number {
  if (algorithm.kind === 'quota') return Math.floor(algorithm.limit / (16 * Math.max(1, instances)))
  return Math.floor(algorithm.burst / (8 * Math.max(1, instances)))
}

/** How many units could be taken at once of a bucket that nobody has used. */
export function capacity(algorithm: Algorithm): number {
  return algorithm.kind === 'rate' ? algorithm.burst : algorithm.limit
}

/** This instance's part of a limit, rounded up; the algorithm itself for a single instance. */
export function createShares(): (algorithm: Algorithm, instances: number) => Algorithm {
  const shares = new WeakMap<Algorithm, { instances: number; share: Algorithm }>()
  return (algorithm, instances) => {
    if (instances <= 1) return algorithm
    const known = shares.get(algorithm)
    if (known?.instances === instances) return known.share
    const share = shareOf(algorithm, instances)
    shares.set(algorithm, { instances, share })
    return share
  }
}

function shareOf(algorithm: Algorithm, instances: number): Algorithm {
  const part = (units: number): number => Math.ceil(units / instances)
  if (algorithm.kind === 'quota') return { ...algorithm, limit: part(algorithm.limit) }
  return { ...algorithm, limit: part(algorithm.limit), burst: part(algorithm.burst) }
}
