// `%2F` in a path, where a route says that its service tells it from a slash (encodedSlashes: true): npm's
// `/@scope%2fname`, GitLab's `/projects/group%2Fproject`. The decision is on the spelling that is forwarded; and
// because the service might read the slash after all, that reading must not lead to another route.

import type { RouteEntry, RouteSnapshot } from './snapshot.js'

/**
 * Whether the route of a canonical path takes the `%2F` in it; for a method that it does not have, whether any of its
 * methods does.
 */
export function takesSlashes(
  entry: RouteEntry | undefined,
  { method, path }: { method: string | undefined; path: string },
  routes: RouteSnapshot,
): boolean {
  if (entry === undefined) return false
  const plan = entry.plans.get(method ?? '')
  const plans = plan === undefined ? [...entry.plans.values()] : [plan]
  if (!plans.some(({ route }) => route.encodedSlashes === true)) return false
  const others = routes.mayBeRead(path.replaceAll('%2F', '/'))
  return others.every(({ shape }) => shape.toLowerCase() === entry.shape.toLowerCase())
}
