// Bounded waiting.

import { processTimers, type Timers } from '../changes/timers.js'
import { RedisUnavailable } from './redis-errors.js'

/** The same promise with a deadline; rejects with RedisUnavailable. What comes later is dropped. */
export function within<T>(work: Promise<T>, ms: number, timers: Timers = processTimers): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = timers.awaited(ms, () => reject(new RedisUnavailable('TIMEOUT')))
    work.then(resolve, reject).finally(cancel)
  })
}

/** Resolves with `work`, whatever becomes of it, or after `ms`. */
export async function settledOr(work: Promise<unknown>, ms: number): Promise<void> {
  await within(work, ms).catch(() => undefined)
}
