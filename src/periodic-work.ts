// What an instance does by the clock and not by request: keys move through their states, last-used times are written,
// expired rows leave. A failure is reported and tried again next time; nothing waits for it.

import type { Collaborators } from './collaborators.js'
import { pruneRevocations } from './revocation/revoke.js'
import { advanceKeys } from './tokens/key-lifecycle.js'

const keysEveryMs = 60_000
const flushEveryMs = 15_000
const sweepEveryMs = 10 * 60_000

/** Starts the work; the answer stops it after a last write of what was gathered. */
export function startPeriodicWork(deps: Collaborators, onError: (error: unknown) => void): () => Promise<void> {
  const works: [number, () => Promise<unknown>][] = [
    [keysEveryMs, () => advanceKeys(deps.keyLifecycle)],
    [flushEveryMs, () => deps.directory.flush()],
    [sweepEveryMs, () => pruneRevocations(deps)],
  ]
  const timers = works.map(([everyMs, work]) => repeat(everyMs, work, onError))
  return async () => {
    for (const timer of timers) clearInterval(timer)
    await deps.directory.flush().catch(onError)
  }
}

/** One at a time: a slow round is not overtaken by the next. */
function repeat(everyMs: number, work: () => Promise<unknown>, onError: (error: unknown) => void): NodeJS.Timeout {
  let running = false
  const timer = setInterval(() => {
    if (running) return
    running = true
    work()
      .catch(onError)
      .finally(() => {
        running = false
      })
  }, everyMs)
  return timer.unref()
}
