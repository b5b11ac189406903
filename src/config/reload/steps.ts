// Work on thousands of routes in steps of one route each, so that it can be done at once at a start, and in slices while
// requests are answered: between two slices the event loop does what has come meanwhile.

import { setImmediate as nextTurn } from 'node:timers/promises'

/** Each `yield` is a place where others may go first. */
export type Steps<T> = Generator<undefined, T>

/** The longest slice in milliseconds, but for the length of its last step. */
export const sliceMs = 2

/** Does all of it now. Throws what a step throws. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
  }
}

/** Does it in slices. Rejects with what a step throws. `now`: milliseconds of a clock that never goes back. */
export async function inSlices<T>(steps: Steps<T>, now: () => number = () => performance.now()): Promise<T> {
  let begin = now()
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
    if (now() - begin < sliceMs) continue
    await nextTurn()
    begin = now()
  }
}
