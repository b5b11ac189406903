// Looks at the Store again and again, whatever else brings news; and at once when there is a reason to.

import type { Timers } from './timers.js'

export interface Polling {
  begin(): void
  /** Looks now, or, when a look is under way, once more after it: that one may have begun too early. */
  soon(): void
  /** Resolves when the last look is over; there is none after it. */
  end(): Promise<void>
}

/** Calls `look` every `everyMs`, counted from the beginning of the one before. What it throws goes to `onError`. */
export function createPolling(options: {
  everyMs: number
  look: () => Promise<void>
  monotonic: () => number
  timers: Timers
  onError: (error: unknown) => void
}): Polling {
  const { monotonic, timers } = options
  let cancel = (): void => {}
  let running: Promise<void> | undefined
  let again = false
  let state: 'new' | 'started' | 'ended' = 'new'

  const run = async (): Promise<void> => {
    again = false
    cancel()
    const beganAt = monotonic()
    try {
      await options.look()
    } catch (error) {
      options.onError(error)
    }
    running = undefined
    if (state !== 'started') return
    const tookMs = monotonic() - beganAt
    // Not at once after a slow one: whatever makes it slow gets some air.
    wait(again ? 0 : Math.max(options.everyMs / 4, options.everyMs - tookMs))
  }
  const wait = (ms: number): void => {
    cancel()
    cancel = timers.after(ms, () => {
      running = run()
    })
  }

  return {
    begin() {
      state = 'started'
      wait(options.everyMs)
    },
    soon() {
      if (state !== 'started') return
      if (running === undefined) wait(0)
      else again = true
    },
    async end() {
      state = 'ended'
      cancel()
      await running
    },
  }
}
