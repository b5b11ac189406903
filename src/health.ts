// Whether the Store and Redis answer, for readiness, the metrics and the log. A change of state is one line; how many
// requests meet it is not said again for each.

import type { FastifyBaseLogger } from 'fastify'
import type { Metrics } from './http/metrics.js'
import { reasonOf } from './http/reason.js'
import type { Store } from './memory/store/store.js'

export interface Health {
  /** Whether the Store answers now, asked with a bound in time; those who ask at the same moment share one question. */
  storeAnswers(): Promise<boolean>
  /** What is known of it: the last answer. */
  readonly storeUp: boolean
  /** A connection to Redis changed; `use` names it, `reason` is safe to log. */
  redisChanged(use: string, up: boolean, reason: string): void
  /** Undefined when none is configured; false while any connection is down. */
  readonly redisUp: boolean | undefined
  /**
   * Hands an error of work in the background on to `report`, unless it only says again that the Store or Redis is away,
   * which is told once.
   */
  quieten(error: unknown, report: (error: unknown) => void): void
  /** Asks the Store every second, until it is ended; from then on connections that go away are no news. */
  begin(): void
  end(): void
}

const storeWaitMs = 2_000
const askEveryMs = 1_000

/** What somebody who reads the log at night wants to know first; deploy/README.md has the whole table. */
function withoutStore(redisIsUp: boolean) {
  const until = redisIsUp ? 'for a minute while Redis brings changes' : 'until the view is stale'
  return {
    goesOn: `calls with tokens that there are, ${until}`,
    refused: 'new tokens, revocations and management: 503 with Retry-After',
  }
}
function withoutRedis(storeIsUp: boolean) {
  const goesOn = storeIsUp ? 'everything; changes come by the Store' : 'calls, until the view is stale'
  return { goesOn, limits: 'as their onDown says' }
}

/** Taken for well until the first answer says something else. */
export function createHealth(options: {
  store: Pick<Store, 'check'>
  metrics: Pick<Metrics, 'storeUp' | 'redisUp'>
  log: Pick<FastifyBaseLogger, 'warn' | 'info'>
}): Health {
  const { store, metrics, log } = options
  const redisDown = new Map<string, string>()
  const redisUses = new Set<string>()
  let up = true
  let asking: Promise<boolean> | undefined
  let timer: NodeJS.Timeout | undefined
  let ended = false
  let storeAwaySince = 0
  let redisAwaySince = 0

  const redisIsUp = () => (redisUses.size === 0 ? undefined : redisDown.size === 0)
  const note = (error: unknown): boolean => {
    const isUp = error === undefined
    metrics.storeUp.set(isUp ? 1 : 0)
    if (isUp !== up) {
      if (isUp) log.info({ awayMs: Math.round(performance.now() - storeAwaySince) }, 'the Store answers again')
      else log.warn({ reason: reasonOf(error), ...withoutStore(redisIsUp() === true) }, 'the Store does not answer')
      storeAwaySince = performance.now()
    }
    up = isUp
    return isUp
  }
  const ask = (): Promise<boolean> => {
    asking ??= answered(store)
      .then(note)
      .finally(() => {
        asking = undefined
      })
    return asking
  }

  return {
    storeAnswers: ask,
    get storeUp() {
      return up
    },
    redisChanged(use, isUp, reason) {
      if (ended) return
      const before = redisDown.size
      redisUses.add(use)
      if (isUp) redisDown.delete(use)
      else redisDown.set(use, reason)
      metrics.redisUp.set({ use }, isUp ? 1 : 0)
      if (before === 0 && redisDown.size > 0) {
        redisAwaySince = performance.now()
        log.warn({ use, reason, ...withoutRedis(up) }, 'Redis does not answer')
      }
      if (before > 0 && redisDown.size === 0) {
        log.info({ awayMs: Math.round(performance.now() - redisAwaySince) }, 'Redis answers again')
      }
    },
    get redisUp() {
      return redisIsUp()
    },
    quieten(error, report) {
      const code = (error as { code?: unknown } | undefined)?.code
      if (code === 'redis_unavailable' && (ended || redisDown.size > 0)) return
      if (code !== 'store_unavailable') return report(error)
      // A question that is under way was asked before this failed, and its answer would prove nothing.
      const answer = asking === undefined ? ask() : asking.then(ask)
      void answer.then((isUp) => {
        if (isUp) report(error)
      })
    },
    begin() {
      timer ??= setInterval(() => void ask(), askEveryMs).unref()
    },
    end() {
      ended = true
      clearInterval(timer)
      timer = undefined
    },
  }
}

/** Undefined when it answered, else why not. Never rejects. */
async function answered(store: Pick<Store, 'check'>): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<unknown>((resolve) => {
    timer = setTimeout(() => resolve(new Error(`no answer within ${storeWaitMs} ms`)), storeWaitMs)
  })
  try {
    const asked = store.check().then(
      () => undefined,
      (error: unknown) => error ?? new Error('unknown reason'),
    )
    return await Promise.race([asked, late])
  } finally {
    clearTimeout(timer)
  }
}
