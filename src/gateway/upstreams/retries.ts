// How often requests of a service may be sent again. Retries are paid from a budget that requests fill, so that a
// service in trouble gets a fifth more of them and not twice as many.

import type { RetryReason, UpstreamSettings } from '../../config/settings/upstream-settings.js'

export interface Retries {
  /** Of one request, at most. */
  attempts: number
  /** Every request fills the budget. */
  fill(): void
  /** Whether there may be one for this reason; it is paid then. */
  take(reason: RetryReason): boolean
}

/** Counted in hundredths of a retry, so that a share of a hundred is a whole number. */
const cost = 100
/** What comes back with time alone: a service that is seldom called gets its retries too. */
const atLeast = 10 * cost
const perSecond = 1 * cost
const most = 100 * cost

/** Undefined where nothing is ever sent again. `monotonic`: milliseconds. */
export function createRetries(
  { attempts, when, budgetPercent }: UpstreamSettings['retry'],
  monotonic: () => number = () => performance.now(),
): Retries | undefined {
  if (attempts === 0 || when.length === 0) return undefined
  const reasons = new Set(when)
  let budget = atLeast
  let filledAt = monotonic()
  return {
    attempts,
    fill() {
      if (budget < most) budget += budgetPercent
    },
    take(reason) {
      if (!reasons.has(reason)) return false
      const now = monotonic()
      if (budget < atLeast) budget = Math.min(atLeast, budget + ((now - filledAt) / 1000) * perSecond)
      filledAt = now
      if (budget < cost) return false
      budget -= cost
      return true
    },
  }
}
