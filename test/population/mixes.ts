// By chance, and again the same from the same seed.

import { stories } from './hostile/stories.js'
import type { Hostile } from './hostile/world.js'

/** Of the environment, to repeat a run, or a new one. */
export function seedOf(): number {
  return Number(process.env['PORTCULLIS_SEED'] ?? Date.now() % 1_000_000)
}

/** So many of the stories. */
export function chosen(seed: number, count: number): Hostile[] {
  const random = randomOf(seed)
  const left = [...stories]
  return Array.from({ length: count }, () => left.splice(Math.floor(random() * left.length), 1)).flat()
}

/** So many times two or three stories at once, each a little stronger or weaker than it was found. */
export function mixes(seed: number, count: number): { name: string; force: number }[][] {
  const random = randomOf(seed)
  return Array.from({ length: count }, () => {
    const left = stories.map(({ name }) => name)
    return Array.from({ length: 2 + Math.floor(random() * 2) }, () => ({
      name: left.splice(Math.floor(random() * left.length), 1)[0] ?? '',
      force: 0.5 + random(),
    }))
  })
}

/** Mulberry32: numbers from 0 to 1. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
