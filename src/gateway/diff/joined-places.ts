// Of several kinds of request that a change treats alike, the widest is enough for people to read.

import type { CallChange, Place } from './call-change.js'

/** The changes without those within another one of the same method that leads from and to the same routes. */
export function joinedCalls(calls: readonly CallChange[]): readonly CallChange[] {
  return withoutWithin(calls, ({ method, operation, before, after }) =>
    JSON.stringify([method, operation, before?.route, after?.route]),
  )
}

/** The places without those within another one of the same method. */
export function joinedPlaces(places: readonly Place[]): readonly Place[] {
  return withoutWithin(places, ({ method, operation = '' }) => `${method} ${operation}`)
}

/** Compared with so many others: people read no more, and with thousands each against each would take long. */
const most = 500

function withoutWithin<T extends Place>(all: readonly T[], groupOf: (one: T) => string): readonly T[] {
  const groups = new Map<string, T[]>()
  for (const one of all) groups.set(groupOf(one), [...(groups.get(groupOf(one)) ?? []).slice(-most), one])
  return all.filter(
    (one) => !(groups.get(groupOf(one)) ?? []).some((wide) => wide !== one && isWithin(one.path, wide.path)),
  )
}

/** Whether every path of the pattern is one of the wider one. */
function isWithin(pattern: string, wider: string): boolean {
  const [segments, wide] = [pattern.split('/'), wider.split('/')]
  for (const [i, segment] of wide.entries()) {
    if (segment === '**') return segments.length > i
    const mine = segments[i]
    if (mine === undefined || mine === '**') return false
    if (!segment.startsWith('{') && segment !== mine) return false
  }
  return segments.length === wide.length
}
