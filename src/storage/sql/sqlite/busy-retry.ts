// Waits out another process's lock without blocking the event loop: tries again after a short random pause.

import { setTimeout as pause } from 'node:timers/promises'
import { isBusy, translateSqliteError } from './sqlite-errors.js'

const FIRST_PAUSE_MS = 1
const LONGEST_PAUSE_MS = 20

export interface RetryOptions {
  /** In milliseconds of performance.now(): no new attempt begins after it. */
  deadline: number
  /** 0 ≤ random() < 1; the jitter that keeps two waiting processes from trying in step. */
  random: () => number
}

/**
 * Runs `attempt` until it succeeds, fails for another reason than a lock, or the deadline passes.
 * Throws StoreUnavailable for a lock that stayed and for an outage, UniqueViolation, or what `attempt` threw.
 */
export async function retryWhileBusy<T>(attempt: () => T | Promise<T>, options: RetryOptions): Promise<T> {
  for (let longest = FIRST_PAUSE_MS; ; longest = Math.min(longest * 2, LONGEST_PAUSE_MS)) {
    try {
      return await attempt()
    } catch (error) {
      if (!isBusy(error) || performance.now() >= options.deadline) throw translateSqliteError(error)
    }
    await pause(longest * (0.5 + options.random() / 2))
  }
}
