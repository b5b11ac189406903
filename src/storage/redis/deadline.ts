// Bounded waiting.

import { RedisUnavailable } from './redis-errors.js'

/** The same promise with a deadline; rejects with RedisUnavailable. What comes later is dropped. */
export function within<T>(work: Promise<T>, ms: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new RedisUnavailable('TIMEOUT')), ms)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

/** Resolves with `work`, whatever becomes of it, or after `ms`. */
export async function settledOr(work: Promise<unknown>, ms: number): Promise<void> {
  await within(work, ms).catch(() => undefined)
}
