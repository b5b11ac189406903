// Whether this process has been running all the time. One that was stopped, or whose event loop was blocked, still has
// the view of before: its first decision afterwards must not be made on it.

import { processTimers, type Timers } from './timers.js'

export interface StallDetector {
  begin(): void
  /** Whether time was lost and not noticed yet, at `monotonicMs` = now. A comparison, for every request. */
  isLost(monotonicMs: number): boolean
  /** Until when time was last lost; what was known before is not known any more. −∞: never. */
  lostUntil(): number
  end(): void
}

/** Four looks in the time that may be lost unnoticed, so that a late timer alone is no loss. */
const TICKS = 4

/**
 * Notices that no timer ran for `lostMs`. A timer notes the time; a caller that comes after a pause, before that timer
 * could run, finds its note too old. `onLost` hears of it afterwards, once each.
 */
export function createStallDetector(options: {
  lostMs: number
  monotonic: () => number
  onLost: () => void
  /** Absent: the process's. */
  timers?: Timers
}): StallDetector {
  const { lostMs, monotonic, timers = processTimers } = options
  let tickedAt = Number.NEGATIVE_INFINITY
  let lostUntil = Number.NEGATIVE_INFINITY
  let cancel: (() => void) | undefined

  const tick = (): void => {
    const at = monotonic()
    const lost = at - tickedAt > lostMs
    tickedAt = at
    if (!lost) return
    lostUntil = at
    options.onLost()
  }
  return {
    begin() {
      tickedAt = monotonic()
      cancel ??= timers.every(lostMs / TICKS, tick)
    },
    isLost: (at) => at - tickedAt > lostMs,
    lostUntil: () => lostUntil,
    end() {
      cancel?.()
      cancel = undefined
    },
  }
}
