// What the gate decides and forwards by: the routes, and the way to the services behind them. Compiled as a whole and
// swapped as a whole; a request keeps what it began with. Explanations of a decision look at the same table.

import type { FastifyBaseLogger } from 'fastify'
import { atOnce, type Steps } from '../config/reload/steps.js'
import type { Settings } from '../config/settings/settings.js'
import type { Metrics } from '../observability/metrics.js'
import { compileRoutes, type RouteSnapshot } from './routes/snapshot.js'
import type { OwnPlaces } from './upstreams/own-places.js'
import type { Upstream } from './upstreams/upstream.js'
import { createUpstreams } from './upstreams/upstreams.js'

export type GateSettings = Pick<Settings, 'catalogue' | 'routes' | 'upstreams'>

export interface Gate {
  /** By name, as a request that begins now finds them. */
  upstreams(): ReadonlyMap<string, Upstream>
  /** The routes as a request that begins now finds them. */
  routes(): RouteSnapshot
  /**
   * From now on requests meet these. Services whose settings are the same keep their connections and what is known of
   * them. Before the last step, nothing has changed; it throws Error when a route cannot be compiled.
   */
  replace(settings: GateSettings): Steps<void>
  /** Begins the counts of the routes in place: an increase from nothing to 1 is none to Prometheus. */
  beginCounts(): Steps<void>
  close(): Promise<void>
}

/**
 * Throws Error when a route cannot be compiled: what is not understood does not open. Nothing connects before a
 * request.
 */
export function compileGate(options: {
  settings: GateSettings
  metrics: Metrics
  /** Where the bundled services listen. */
  builtinTargets: ReadonlyMap<string, { socketPath: string }>
  /** What no upstream may lead to. */
  own?: OwnPlaces
  /** Hears of targets that are down, and up again. */
  log?: FastifyBaseLogger
}): Gate {
  const { metrics } = options
  const upstreams = createUpstreams(options)
  const compile = function* (settings: GateSettings) {
    const prepared = upstreams.prepare(settings.upstreams)
    const snapshot = yield* compileRoutes({ settings, upstreams: prepared.byName, metrics })
    return { prepared, snapshot }
  }
  const beginCounts = function* ({ routes }: GateSettings): Steps<void> {
    for (const { id, onStale } of routes) {
      if (onStale !== 'pass') continue
      metrics.stalePasses.inc({ route: id }, 0)
      yield
    }
  }
  let settings = options.settings
  let current = atOnce(compile(settings))
  current.prepared.take()
  atOnce(beginCounts(settings))
  return {
    upstreams: () => current.prepared.byName,
    routes: () => current.snapshot,
    *replace(given) {
      const next = yield* compile(given)
      current = next
      settings = given
      next.prepared.take()
    },
    beginCounts: () => beginCounts(settings),
    close: () => upstreams.close(),
  }
}
