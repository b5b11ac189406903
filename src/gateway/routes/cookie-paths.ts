// Below which path a service may set cookies: where its routes are, and never where pages or endpoints of this server are.
// Cookies fill the head of each request that they are sent with; a few large ones for all of the origin would keep a
// browser out of the sign-in.

import type { Steps } from '../../config/reload/steps.js'
import { reservedPathWithin } from '../../config/routes/reserved-paths.js'
import type { RouteSettings } from '../../config/settings/route-settings.js'

type Placed = Pick<RouteSettings, 'path' | 'upstream'>

/**
 * For each of these routes the path, without a slash at the end: what all routes of its upstream begin with; where a route
 * of another one or an address of this server begins so too, what the route itself begins with. Empty for the route `/`. A
 * step for each route.
 */
export function* cookiePaths(routes: readonly Placed[]): Steps<(route: Placed) => string> {
  const common = new Map<string, readonly string[]>()
  /** The upstreams that have routes at a path or below it. */
  const owners = new Map<string, Set<string>>()
  for (const { path, upstream } of routes) {
    yield
    const own = beginning(path)
    const known = common.get(upstream)
    common.set(upstream, known === undefined ? own : shared(known, own))
    for (let end = 2; end <= own.length; end += 1) {
      const place = own.slice(0, end).join('/')
      owners.set(place, (owners.get(place) ?? new Set()).add(upstream))
    }
  }
  return ({ path, upstream }) => {
    const all = (common.get(upstream) ?? []).join('/')
    const isTheirs = owners.get(all)?.size === 1 && reservedPathWithin(`${all}/**`) === undefined
    return isTheirs ? all : beginning(path).join('/')
  }
}

/** The segments before the first that is not fixed, with the empty one before the first slash. */
function beginning(path: string): string[] {
  const segments = path.split('/')
  // A semicolon would end the attribute of the cookie.
  const end = segments.findIndex((segment, at) => at > 0 && (segment === '' || /[{*;]/.test(segment)))
  return end === -1 ? segments : segments.slice(0, end)
}

function shared(one: readonly string[], other: readonly string[]): readonly string[] {
  const end = one.findIndex((segment, at) => segment !== other[at])
  return end === -1 ? one : one.slice(0, end)
}
