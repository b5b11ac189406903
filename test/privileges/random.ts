// Chance that a seed repeats.

export interface Chance {
  /** From 0 up to and without 1. */
  next(): number
  pick<T>(list: readonly T[]): T
  some<T>(list: readonly T[], likelihood: number): T[]
}

/** The same numbers for the same seed. */
export function chance(seed: number): Chance {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    pick: (list) => list[Math.floor(next() * list.length)] as (typeof list)[number],
    some: (list, likelihood) => list.filter(() => next() < likelihood),
  }
}
