// Overload of one process, of its public listener: requests are counted, the loop is watched, and the least urgent are
// refused while it has more to do than it can (decision 138). Listeners within, among them the operator's with its
// health, are not shed. What a request pays for it while nothing is wrong is one addition and one comparison.

import type { FastifyBaseLogger } from 'fastify'
import type { Metrics } from '../../observability/metrics.js'
import { createHeldRefusals } from './held-refusals.js'
import { type LoopGauge, type LoopListener, startLoopGauge } from './loop-gauge.js'
import { lookMs } from './loop-look.js'
import { createShedding, type Priority } from './shedding.js'

export interface Overload {
  /** Counts a request that came at that time (performance.now()); to be called for each. */
  arrived(at: number): void
  /** Whether `refuse` has to be called. */
  readonly isShedding: boolean
  /** The Retry-After, in seconds, of a request that may not go on now; undefined: it may. */
  refuse(priority: Priority, address: string, at: number): number | undefined
  /** Calls `answer` now, or a little later when many are refused. */
  hold(answer: () => void): void
  /** Answers those who wait, and watches no more. */
  stop(): void
}

export interface OverloadOptions {
  /** How long requests may wait for the event loop; 0: however long. */
  longestTurnMs: number
  metrics: Pick<Metrics, 'shedding' | 'shedRequests' | 'loopDelay'> | undefined
  log: Pick<FastifyBaseLogger, 'warn' | 'info'>
  /** Whom an address stands for; absent: itself. */
  clientOf?: (address: string) => string
  random?: () => number
  /** Looks at something else than the loop; for tests. */
  watchLoop?: (listener: LoopListener) => LoopGauge
}

/** So often some of those leave who wait for their refusal. */
const heldTurnMs = 50
/** At most one line so often says that it began; each is followed by one that it is over. */
const linesEveryMs = 10_000

/** Watches from now on. */
export function createOverload(options: OverloadOptions): Overload {
  const { metrics } = options
  const held = createHeldRefusals()
  const lines = createLines(options.log)
  const shedding = createShedding({
    longestTurnMs: options.longestTurnMs,
    random: options.random ?? Math.random,
    onChange(isShedding) {
      metrics?.shedding.set(isShedding ? 1 : 0)
      lines.changed(isShedding)
    },
  })
  let since = { ms: 0, busyMs: 0 }
  const gauge = (options.watchLoop ?? startLoopGauge)(
    {
      look(look) {
        metrics?.loopDelay.observe(Math.max(0, look.ms - lookMs) / 1000)
        if (options.longestTurnMs > 0) shedding.look(look)
        since = { ms: since.ms + look.ms, busyMs: since.busyMs + look.busyMs }
        if (since.ms < heldTurnMs) return
        held.turn(look.at, since.ms - since.busyMs)
        since = { ms: 0, busyMs: 0 }
      },
      late(look) {
        if (options.longestTurnMs > 0) shedding.late(look)
      },
    },
    options.longestTurnMs > 0 ? options.longestTurnMs : Number.POSITIVE_INFINITY,
  )
  return {
    arrived: (at) => gauge.arrived(at),
    get isShedding() {
      return shedding.isShedding
    },
    refuse(priority, address, at) {
      const client = options.clientOf?.(address) ?? address
      if (shedding.admit(priority, client, { at, lateMs: gauge.lateBy(at) })) return undefined
      metrics?.shedRequests.inc({ priority })
      lines.refused()
      return shedding.retryAfterSeconds()
    },
    hold: (answer) => held.refuse(answer, performance.now()),
    stop() {
      gauge.stop()
      held.release()
    },
  }
}

function createLines(log: OverloadOptions['log']) {
  let begunAt = 0
  let refused = 0
  let last = Number.NEGATIVE_INFINITY
  let isLogged = false
  return {
    refused() {
      refused += 1
    },
    changed(isShedding: boolean) {
      const now = performance.now()
      if (isShedding) {
        begunAt = now
        isLogged = now - last >= linesEveryMs
        if (!isLogged) return
        last = now
        refused = 0
        log.warn({ reason: 'overloaded' }, 'more comes than this process can do: the least urgent requests get 503')
      } else if (isLogged) {
        log.info({ refused, forMs: Math.round(now - begunAt) }, 'every request is let in again')
      }
    },
  }
}
