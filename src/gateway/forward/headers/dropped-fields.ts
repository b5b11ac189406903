// The fields of a client that an operator keeps from a service (dropRequestHeaders), beside those that never cross:
// names by which that service is told who calls, or that it must not hear for another reason.

import { foldName } from './header-names.js'
import type { CrossingFields } from './request-headers.js'

/** Names whose answer is remembered, and how long they are; bounded, because clients choose them. */
const most = 1_000
const longest = 64

/**
 * `listed`: the only ones that cross, undefined for all. `dropped`: names, or with a `*` at their end the beginning of
 * names, compared folded, so that every spelling which a service may read as one of them stays here. Undefined: nothing
 * to ask.
 */
export function compileRequestFields(
  listed: ReadonlySet<string> | undefined,
  dropped: readonly string[] | undefined,
): CrossingFields | undefined {
  if (dropped === undefined || dropped.length === 0) return listed
  const names = new Set(dropped.filter((name) => !name.endsWith('*')).map(foldName))
  const beginnings = dropped.filter((name) => name.endsWith('*')).map((name) => foldName(name.slice(0, -1)))
  const known = new Map<string, boolean>()
  const isKept = (lower: string): boolean => {
    if (listed !== undefined && !listed.has(lower)) return false
    const folded = foldName(lower)
    return !names.has(folded) && !beginnings.some((beginning) => folded.startsWith(beginning))
  }
  return {
    has(lower) {
      const before = known.get(lower)
      if (before !== undefined) return before
      const kept = isKept(lower)
      if (known.size < most && lower.length <= longest) known.set(lower, kept)
      return kept
    },
  }
}
