// One value that is got elsewhere, kept while it lasts, and got again before it ends. However many ask, there is one
// request; near the end the old value is served while the next one is fetched behind it.

import { createBackOff } from '../back-off.js'
import { elapsedMs, type Mark, type Surroundings } from '../surroundings.js'
import { type Flight, takeOff } from './one-flight.js'

export interface Obtained<T> {
  value: T
  /** What both durations count from: not later than the moment at which the value began to be good. */
  since: Mark
  /** From here on it is got anew, while it is still served. */
  refreshAfterMs: number
  /** From here on it is not served. */
  endsAfterMs: number
}

export interface KeptFresh<T> {
  /** The value. Throws what getting it threw, or the signal's reason. */
  get(signal?: AbortSignal): Promise<T>
  /** Forgets the value if it is one of these; what is under way goes on. */
  drop(which: (value: T) => boolean): void
}

/** `toTheEnd`: getting it changes something elsewhere, so it is not broken off when nobody waits for it any more. */
export function keepFresh<T>(
  obtain: (signal: AbortSignal) => Promise<Obtained<T>>,
  surroundings: Pick<Surroundings, 'clock' | 'random'>,
  { toTheEnd = false }: { toTheEnd?: boolean } = {},
): KeptFresh<T> {
  const { clock } = surroundings
  const backOff = createBackOff(surroundings)
  let kept: Obtained<T> | undefined
  let flight: Flight<T> | undefined
  const landed = (which: Flight<T>) => {
    if (flight === which) flight = undefined
  }
  const start = (): Flight<T> => {
    const started: Flight<T> = takeOff(
      async (signal) => {
        try {
          const obtained = await obtain(signal)
          // Given up by all, and yet it arrived: somebody else may be under way already.
          if (!signal.aborted) kept = obtained
          backOff.succeeded()
          return obtained.value
        } catch (error) {
          if (!signal.aborted) backOff.failed(error)
          throw error
        }
      },
      { ended: () => landed(started), toTheEnd },
    )
    flight = started
    return started
  }
  return {
    async get(signal) {
      signal?.throwIfAborted()
      if (kept !== undefined) {
        const age = elapsedMs(clock, kept.since)
        if (age < kept.endsAfterMs) {
          const { value } = kept
          // Nobody hears of a failure here: there is a value, and the next caller after its end tries again.
          if (age >= kept.refreshAfterMs && flight === undefined && backOff.isOver()) start().join().catch(ignore)
          return value
        }
        kept = undefined
      }
      if (flight === undefined) backOff.check()
      return await (flight ?? start()).join(signal)
    },
    drop(which) {
      if (kept !== undefined && which(kept.value)) kept = undefined
    },
  }
}

function ignore(): void {}
