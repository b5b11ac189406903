// Whether the Store and Redis answer, for readiness, the metrics and the log. A change of state is one line; how many
// requests meet it is not said again for each.

import type { FastifyBaseLogger } from 'fastify'
import type { Metrics } from '../observability/metrics.js'
import { reasonOf } from '../observability/reason.js'
import { NotWritable, type Store } from '../storage/sql/store.js'
import type { WriteHealth } from './write-health.js'

export interface Health {
  /** Whether the Store answers now, within a bound in time; callers at the same moment share one query. */
  storeAnswers(): Promise<boolean>
  /** What is known of it: the last answer. */
  readonly storeUp: boolean
  /** Whether it takes writes, as far as transactions have shown. */
  readonly storeWritable: boolean
  /** A connection to Redis changed; `use` names it, `reason` is safe to log. */
  redisChanged(use: string, up: boolean, reason: string): void
  /** Undefined when none is configured; false while any connection is down. */
  readonly redisUp: boolean | undefined
  /**
   * Hands an error of work in the background on to `report`, unless it only says again that the Store or Redis is away,
   * or that the Store takes no writes, which is told once.
   */
  suppressDuplicates(error: unknown, report: (error: unknown) => void): void
  /** Asks the Store every second, until it is ended; from then on connections that go away are no news. */
  begin(): void
  end(): void
}

const storeWaitMs = 2_000
const askEveryMs = 1_000

export interface HealthOptions {
  store: Pick<Store, 'check'>
  writes: Pick<WriteHealth, 'isWritable'>
  metrics: Pick<Metrics, 'storeUp' | 'redisUp'>
  log: Pick<FastifyBaseLogger, 'warn' | 'info'>
}

/** What somebody who reads the log at night wants to know first; src/docs/operations.md has the whole table. */
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

/** Both are taken for well until the first answer says something else. */
export function createHealth(options: HealthOptions): Health {
  const store = createStoreHealth(options, () => redis.isUp() === true)
  const redis = createRedisHealth(options, () => store.isUp())
  let timer: NodeJS.Timeout | undefined
  let ended = false

  return {
    storeAnswers: store.ask,
    get storeUp() {
      return store.isUp()
    },
    get storeWritable() {
      return options.writes.isWritable()
    },
    redisChanged(use, isUp, reason) {
      if (!ended) redis.note(use, isUp, reason)
    },
    get redisUp() {
      return redis.isUp()
    },
    suppressDuplicates(error, report) {
      const code = (error as { code?: unknown } | undefined)?.code
      if (code === 'redis_unavailable' && (ended || redis.isUp() === false)) return
      if (code !== 'store_unavailable') return report(error)
      if (error instanceof NotWritable && !options.writes.isWritable()) return
      void store.askAgain().then((isUp) => {
        if (isUp) report(error)
      })
    },
    begin() {
      timer ??= setInterval(() => void store.ask(), askEveryMs).unref()
    },
    end() {
      ended = true
      clearInterval(timer)
      timer = undefined
    },
  }
}

/** The Store by its answers; `redisIsUp` decides what goes on without it. */
function createStoreHealth({ store, metrics, log }: HealthOptions, redisIsUp: () => boolean) {
  let up = true
  let changedAt = performance.now()
  let asking: Promise<boolean> | undefined

  const note = (error: unknown): boolean => {
    const isUp = error === undefined
    metrics.storeUp.set(isUp ? 1 : 0)
    if (isUp === up) return up
    if (isUp) log.info({ awayMs: Math.round(performance.now() - changedAt) }, 'the Store answers again')
    else log.warn({ reason: reasonOf(error), ...withoutStore(redisIsUp()) }, 'the Store does not answer')
    changedAt = performance.now()
    up = isUp
    return up
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
    isUp: () => up,
    ask,
    /**
     * By a query that begins now: one that is under way was sent before, and its answer would prove nothing.
     */
    askAgain: (): Promise<boolean> => (asking === undefined ? ask() : asking.then(ask)),
  }
}

/** Redis by the states of its connections, told as one; `storeIsUp` decides what goes on without it. */
function createRedisHealth({ metrics, log }: HealthOptions, storeIsUp: () => boolean) {
  const uses = new Set<string>()
  const down = new Set<string>()
  let awaySince = 0

  return {
    isUp: () => (uses.size === 0 ? undefined : down.size === 0),
    note(use: string, isUp: boolean, reason: string): void {
      const wasUp = down.size === 0
      uses.add(use)
      if (isUp) down.delete(use)
      else down.add(use)
      metrics.redisUp.set({ use }, isUp ? 1 : 0)
      if (wasUp === (down.size === 0)) return
      if (wasUp) {
        awaySince = performance.now()
        log.warn({ use, reason, ...withoutRedis(storeIsUp()) }, 'Redis does not answer')
      } else log.info({ awayMs: Math.round(performance.now() - awaySince) }, 'Redis answers again')
    },
  }
}

/** Undefined when it answered, else why not. Never rejects. */
async function answered(store: Pick<Store, 'check'>): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<unknown>((resolve) => {
    const giveUp = () => resolve(new Error(`no answer within ${storeWaitMs} ms`))
    // After a look at the sockets: when it is this process that stood still, the answer is there and has not been read.
    timer = setTimeout(() => setImmediate(giveUp), storeWaitMs)
  })
  try {
    const checked = store.check().then(
      () => undefined,
      (error: unknown) => error ?? new Error('unknown reason'),
    )
    return await Promise.race([checked, late])
  } finally {
    clearTimeout(timer)
  }
}
