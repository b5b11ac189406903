// What the gate decides and forwards by, compiled once: the routes, and the way to the services behind them. Whoever
// explains a decision looks at the same table.

import type { Settings } from '../config/settings.js'
import type { Metrics } from '../http/metrics.js'
import { createUpstreams, type Upstream } from './forward/upstreams.js'
import { compileRoutes, type RouteSnapshot } from './routes/snapshot.js'

export interface Gate {
  upstreams: ReadonlyMap<string, Upstream>
  /** The routes as a request that begins now finds them. */
  routes(): RouteSnapshot
}

/** Throws Error when a route cannot be compiled: what is not understood does not open. Nothing connects before a request. */
export function compileGate(options: {
  settings: Pick<Settings, 'catalogue' | 'routes' | 'upstreams'>
  metrics: Metrics
  /** Where the bundled services listen. */
  builtinTargets: ReadonlyMap<string, { socketPath: string }>
}): Gate {
  const { settings, metrics } = options
  const upstreams = createUpstreams(settings.upstreams, options)
  const snapshot = compileRoutes({ settings, upstreams, metrics })
  return { upstreams, routes: () => snapshot }
}
