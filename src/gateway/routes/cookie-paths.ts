// Below which path a service may set cookies: where its routes are, and never where pages or endpoints of this server are.
// Cookies fill the head of each request that they are sent with; a few large ones for all of the origin would keep a
// browser out of the sign-in.

import { reservedPathWithin } from '../../config/routes/reserved-paths.js'
import type { RouteSettings } from '../../config/settings/route-settings.js'

type Placed = Pick<RouteSettings, 'path' | 'upstream'>

/**
 * For each of these routes the path: what all routes of its upstream begin with, or, where that is nothing of theirs
 * alone, what the route itself begins with. Without a slash at the end.
 */
export function cookiePaths(routes: readonly Placed[]): (route: Placed) => string {
  const common = new Map<string, readonly string[]>()
  for (const { path, upstream } of routes) {
    const own = beginning(path)
    const known = common.get(upstream)
    common.set(upstream, known === undefined ? own : shared(known, own))
  }
  return ({ path, upstream }) => {
    const all = (common.get(upstream) ?? []).join('/')
    return all === '' || reservedPathWithin(`${all}/**`) !== undefined ? beginning(path).join('/') : all
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
