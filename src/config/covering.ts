// Which permissions include which: the closure of `covers`, asked from the side of what is required.

import type { PermissionDefinition } from './settings.js'

type Satisfying = (kind: 'application' | 'delegated', resource: string, id: string) => readonly string[]

/**
 * Answers which ids satisfy a requirement for `id` in a token of that kind: itself and whatever covers it, directly or not.
 * Nothing satisfies an id that does not exist in that kind: a route that wants a user cannot be had by an application.
 */
export function createCovering(permissions: readonly PermissionDefinition[]): Satisfying {
  return (kind, resource, id) => {
    const candidates = permissions.filter((one) => one.resource === resource && one.kinds.includes(kind))
    if (!candidates.some((one) => one.id === id)) return []
    const enough = new Set([id])
    // Each round finds what covers something already found; a circle of permissions ends it like any other.
    for (let before = 0; before !== enough.size; ) {
      before = enough.size
      for (const one of candidates) if (one.covers.some((covered) => enough.has(covered))) enough.add(one.id)
    }
    return [...enough]
  }
}
