// Whether the Store takes writes, by those that the work of this instance makes: no other write proves it. A full disk
// lets a small one through where a larger one fails, so it takes writes again once half a minute has brought no failure.

import type { FastifyBaseLogger } from 'fastify'
import type { Metrics } from '../observability/metrics.js'
import { reasonOf } from '../observability/reason.js'
import { NotWritable, type Store } from '../storage/sql/store.js'

export interface WriteHealth {
  /** False since a write failed for the Store's own disk. */
  isWritable(): boolean
  /** The same Store, whose transactions are watched. */
  watched(store: Store): Store
}

const quietMs = 30_000

const consequences = {
  refused: 'revocations, sign-in, consent and management: 503 with Retry-After',
  goesOn: 'calls, and tokens for applications',
  advice: 'Make room on the disk of the database, or see whether it is read-only or failing',
}

/** Taken for well until a write fails. `monotonic`: milliseconds. Each change is one line of the log. */
export function createWriteHealth(options: {
  metrics: Pick<Metrics, 'storeWritable'>
  log: Pick<FastifyBaseLogger, 'error' | 'info'>
  monotonic: () => number
}): WriteHealth {
  const { metrics, log, monotonic } = options
  let failed: { first: number; last: number } | undefined
  metrics.storeWritable.set(1)

  const failedNow = (error: NotWritable): void => {
    const at = monotonic()
    if (failed === undefined) {
      log.error({ reason: reasonOf(error), ...consequences }, 'the Store takes no writes')
      metrics.storeWritable.set(0)
    }
    failed = { first: failed?.first ?? at, last: at }
  }
  const succeededNow = (): void => {
    if (failed === undefined || monotonic() - failed.last < quietMs) return
    log.info({ failedMs: Math.round(monotonic() - failed.first) }, 'the Store takes writes again')
    metrics.storeWritable.set(1)
    failed = undefined
  }

  return {
    isWritable: () => failed === undefined,
    watched: (store) => ({
      ...store,
      async transaction(work, separation) {
        try {
          const result = await store.transaction(work, separation)
          succeededNow()
          return result
        } catch (error) {
          if (error instanceof NotWritable) failedNow(error)
          throw error
        }
      },
    }),
  }
}
