// Whether this instance should get requests, and why not: starting, draining, a stale view. A Store or a Redis that is
// away makes it degraded, not unready: it goes on proxying for as long as its view is fresh, and if it were taken out
// of the balancer for that, then all instances would be, and nobody would serve at all (decision 0048). That calls
// begin to be refused for a stale view is a line of the log, for it is the one thing here that clients feel.

import type { FastifyBaseLogger } from 'fastify'
import type { Health } from '../cluster/health.js'
import type { Membership } from '../cluster/membership.js'
import type { Readiness } from '../http/operator.js'
import type { RevocationView } from '../revocation/view.js'

export interface DetailedReadiness extends Readiness {
  /**
   * What does not work although requests may come, as stable ids: `store_down`, `store_not_writable`, `redis_down`,
   * `clock_skew`.
   */
  degraded: readonly string[]
}

export interface ReadinessState {
  /** The answer of /readyz now. The Store is queried within a bound in time. */
  read(): Promise<DetailedReadiness>
  started(): void
  /** Not ready from now on; whether it was ready, so that somebody may still be sending. */
  draining(): boolean
}

const lookEveryMs = 1_000
const refused = 'calls with tokens, but for routes with onStale: pass, and new tokens: 503 with Retry-After'

/** Not ready until started() is called, and never again after draining(). */
export function createReadiness(options: {
  view: Pick<RevocationView, 'isStale'>
  health: Pick<Health, 'storeAnswers' | 'storeWritable' | 'redisUp'>
  membership: Pick<Membership, 'skewMs'>
  /** By how much the clocks of instances may differ: what one signs now, another must not take for the future. */
  leewayMs: number
  log: Pick<FastifyBaseLogger, 'error' | 'info'>
}): ReadinessState {
  const { view, health, membership, leewayMs, log } = options
  let phase: 'starting' | 'draining' | undefined = 'starting'
  let staleSince: number | undefined
  let timer: NodeJS.Timeout | undefined

  const viewIsStale = (): boolean => {
    const isStale = view.isStale()
    if (phase !== undefined || isStale === (staleSince !== undefined)) return isStale
    if (staleSince === undefined) log.error({ refused }, 'the view is stale')
    else log.info({ staleMs: Math.round(performance.now() - staleSince) }, 'the view is fresh again')
    staleSince = isStale ? performance.now() : undefined
    return isStale
  }

  let clocksDiffer = false
  const isSkewed = (): boolean => {
    const skewMs = membership.skewMs()
    const isNow = skewMs > leewayMs
    if (phase === undefined && isNow !== clocksDiffer) {
      clocksDiffer = isNow
      if (isNow) log.error({ skewMs, leewayMs }, 'the clocks of instances differ by more than tokens allow')
      else log.info({ skewMs }, 'the clocks of instances agree again')
    }
    return isNow
  }

  return {
    async read() {
      const storeUp = await health.storeAnswers()
      const reasons = given(phase, viewIsStale() && 'view_stale')
      const skewed = isSkewed()
      const degraded = given(
        !storeUp && 'store_down',
        !health.storeWritable && 'store_not_writable',
        health.redisUp === false && 'redis_down',
        skewed && 'clock_skew',
      )
      return { ready: reasons.length === 0, reasons, degraded }
    },
    started() {
      if (phase !== 'starting') return
      phase = undefined
      timer = setInterval(() => {
        viewIsStale()
        isSkewed()
      }, lookEveryMs).unref()
    },
    draining() {
      const wasReady = phase === undefined
      phase = 'draining'
      clearInterval(timer)
      return wasReady
    },
  }
}

function given(...ids: readonly (string | false | undefined)[]): string[] {
  return ids.filter((id): id is string => typeof id === 'string')
}
