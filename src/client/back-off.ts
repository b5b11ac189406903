// A failure is never an answer for later, but what fails is not tried again at once: for a moment that doubles with
// each failure, or as long as the server says, callers get that failure again.

import { ClientError } from './errors.js'
import type { Surroundings } from './surroundings.js'

const firstMs = 250
const longestMs = 30_000
/** A server that says more is believed so far. */
const longestRetryAfterMs = 3_600_000

export interface BackOff {
  /** Throws the last failure while it is too early to try again. */
  check(): void
  /** Whether it is early enough to try again; for work that nobody waits for. */
  isOver(): boolean
  failed(error: unknown): void
  succeeded(): void
}

/** For one thing that can fail. Nothing is waited for here. */
export function createBackOff({ clock, random }: Pick<Surroundings, 'clock' | 'random'>): BackOff {
  let failures = 0
  let last: { error: unknown; untilMs: number } | undefined
  const isOver = () => last === undefined || clock.monotonicMs() >= last.untilMs
  return {
    isOver,
    check() {
      if (last !== undefined && !isOver()) throw last.error
    },
    failed(error) {
      failures += 1
      const pauseMs = Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, 10)) * (0.5 + random() / 2)
      const saidMs = error instanceof ClientError ? (error.retryAfterSeconds ?? 0) * 1000 : 0
      last = { error, untilMs: clock.monotonicMs() + Math.max(pauseMs, Math.min(saidMs, longestRetryAfterMs)) }
    },
    succeeded() {
      failures = 0
      last = undefined
    },
  }
}
