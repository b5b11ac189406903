// Refusals that take the same time whatever came before them: whether a client is known, remembered or has to be read
// shows in microseconds, and our own Duration field would reveal that to a caller with enough attempts.

import { setTimeout as pause } from 'node:timers/promises'

const stepMs = 25

/** Waits until a whole number of steps of 25 ms have passed since `startedAt`, both by performance.now(). */
export async function constantTime(startedAt: number): Promise<void> {
  const end = startedAt + Math.ceil((performance.now() - startedAt) / stepMs) * stepMs
  // A timer may come a moment early.
  for (let left = end - performance.now(); left > 0; left = end - performance.now()) await pause(Math.ceil(left))
}
