// What the library uses of the machine it runs on. The defaults are the same in Node and in browsers; tests give
// others.

export interface Clock {
  /** Milliseconds from any beginning; never set back. */
  monotonicMs(): number
  /** Epoch milliseconds; people and time servers set it. */
  wallMs(): number
  /** Resolves after so many milliseconds; rejects with the signal's reason. */
  wait(ms: number, signal?: AbortSignal): Promise<void>
}

export interface Surroundings {
  fetch: typeof globalThis.fetch
  clock: Clock
  /** At least 0, less than 1; for jitter, not for secrets. */
  random(): number
}

/** A moment, on both clocks. */
export interface Mark {
  monotonicMs: number
  wallMs: number
}

/** Those of this machine, but for what is given. */
export function surroundings(given: Partial<Surroundings> = {}): Surroundings {
  return {
    // Called as a method of anything else, a browser's fetch refuses.
    fetch: given.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    clock: given.clock ?? machineClock,
    random: given.random ?? Math.random,
  }
}

export function markNow(clock: Clock): Mark {
  return { monotonicMs: clock.monotonicMs(), wallMs: clock.wallMs() }
}

/**
 * Milliseconds since the mark, by the clock that says more: the monotonic one stands still while a laptop sleeps, and
 * the other one can be set back.
 */
export function elapsedMs(clock: Clock, mark: Mark): number {
  return Math.max(clock.monotonicMs() - mark.monotonicMs, clock.wallMs() - mark.wallMs)
}

const machineClock: Clock = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
  wait: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const abort = () => {
        clearTimeout(timer)
        reject(signal?.reason)
      }
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', abort)
        resolve()
      }, ms)
      signal?.addEventListener('abort', abort, { once: true })
    }),
}
