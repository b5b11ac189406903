// Long work that others need not wait for: it stops every few milliseconds and lets the event loop turn.

import { setImmediate as turn } from 'node:timers/promises'

const sliceMs = 8

/** Call and await it between the parts of one piece of work: it returns at once until a slice is used up. */
export function slices(): () => Promise<void> {
  let endsAt = performance.now() + sliceMs
  return async () => {
    if (performance.now() < endsAt) return
    await turn()
    endsAt = performance.now() + sliceMs
  }
}
