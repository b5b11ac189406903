// Chance that can be had again: a small generator (mulberry32) and the distributions that networks need.

export type Chance = () => number

/** Numbers from 0 up to 1, the same for the same seed. */
export function createChance(seed: number): Chance {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** A wait with this mean, as between events that know nothing of each other. */
export function exponential(chance: Chance, mean: number): number {
  return -Math.log(1 - chance()) * mean
}
