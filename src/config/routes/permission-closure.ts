// Which permissions include which: the closure of `covers`, read from the side of what is required.

import type { PermissionDefinition } from '../settings/settings.js'

type Kind = 'application' | 'delegated'
type Satisfying = (kind: Kind, resource: string, id: string) => readonly string[]

/**
 * Of one kind and resource: for each id that exists there, those that say that they cover it, in the order of the file.
 */
type Coverers = ReadonlyMap<string, readonly string[]>

/**
 * Answers which ids satisfy a requirement for `id` in a token of that kind: itself and whatever covers it, directly or
 * not, the nearest first. Nothing satisfies an id that does not exist in that kind: a route that wants a user cannot be
 * had by an application. The first question about a resource lists what it has, so that thousands of routes cost no
 * more than that.
 */
export function createCovering(permissions: readonly PermissionDefinition[]): Satisfying {
  const listed: Record<Kind, Map<string, Coverers>> = { application: new Map(), delegated: new Map() }
  const coverersIn = (kind: Kind, resource: string): Coverers => {
    const known = listed[kind].get(resource)
    if (known !== undefined) return known
    const list = coverersOf(permissions.filter((one) => one.resource === resource && one.kinds.includes(kind)))
    listed[kind].set(resource, list)
    return list
  }
  return (kind, resource, id) => {
    const coverers = coverersIn(kind, resource)
    if (!coverers.has(id)) return []
    // A set also visits what is added on the way, and a circle of permissions adds nothing twice.
    const enough = new Set([id])
    for (const one of enough) for (const covering of coverers.get(one) ?? []) enough.add(covering)
    return [...enough]
  }
}

function coverersOf(permissions: readonly PermissionDefinition[]): Coverers {
  const list = new Map<string, string[]>(permissions.map(({ id }) => [id, []]))
  for (const { id, covers } of permissions) for (const covered of covers) list.get(covered)?.push(id)
  return list
}
