// Which route a request would take, for somebody who only asks.

import { canonicalTarget } from '../../http/requests/canonical-target.js'
import type { RouteSnapshot } from './snapshot.js'

/** The id of the route; undefined: the gate has none for this method and target. */
export function routeOf(routes: RouteSnapshot, method: string, target: string): string | undefined {
  const read = canonicalTarget(target)
  return read.ok ? routes.find(read.path)?.plans.get(method)?.id : undefined
}
