// One verification for all who want to know: it reads the whole ledger, which of ten million rows is a minute's work.

import type { Verification } from '../../ledger/verify.js'

/** A new one begins at this pace at most, and takes no more than a twentieth of the time. */
const leastPauseMs = 30_000
const pauseShare = 20

/** How long somebody waits who could have the one of before. */
const patienceMs = 1_000

/** For so long the next one who comes is told of a failure: those before may not have waited for it. */
const failureMs = 60_000

export interface RecentVerification {
  /**
   * The newest, or the one of before while that takes longer than a second; never one that is older than a failure.
   * Rejects as `verify`.
   */
  read(): Promise<Verification>
}

/** `now`: monotonic milliseconds. */
export function createRecentVerification(
  verify: () => Promise<Verification>,
  now: () => number = () => performance.now(),
): RecentVerification {
  let last: Verification | undefined
  let running: Promise<Verification> | undefined
  let nextAtMs = Number.NEGATIVE_INFINITY
  let failure: { error: unknown; atMs: number } | undefined

  async function run(): Promise<Verification> {
    const begunMs = now()
    try {
      last = await verify()
      nextAtMs = now() + Math.max(leastPauseMs, pauseShare * (now() - begunMs))
      failure = undefined
      return last
    } catch (error) {
      last = undefined
      failure = { error, atMs: now() }
      throw error
    } finally {
      running = undefined
    }
  }
  return {
    async read() {
      if (running === undefined && last !== undefined && now() < nextAtMs) return last
      if (running === undefined && failure !== undefined) {
        const { error, atMs } = failure
        failure = undefined
        if (now() - atMs < failureMs) throw error
      }
      running ??= run()
      if (last === undefined) return running
      return withinPatience(running, last)
    },
  }
}

async function withinPatience(running: Promise<Verification>, before: Verification): Promise<Verification> {
  let timer: NodeJS.Timeout | undefined
  // When it fails later, the next one who comes is told.
  running.catch(() => undefined)
  const late = new Promise<Verification>((resolve) => {
    timer = setTimeout(() => resolve(before), patienceMs)
  })
  try {
    return await Promise.race([running, late])
  } finally {
    clearTimeout(timer)
  }
}
