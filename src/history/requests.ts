// What is read from the history about all requests: over time and by route, with how long they took.

import type { Recent } from './history.js'
import { quantileMs } from './latency.js'
import { noRequests, type RouteSums, type Slot } from './slot.js'
import { totalNames } from './traffic.js'

export interface RequestCounts {
  requests: number
  clientErrors: number
  serviceErrors: number
  ownErrors: number
  /** Half, and 95 of a hundred, took at most so long: estimated within a bucket. Undefined: nothing was answered. */
  p50Ms: number | undefined
  p95Ms: number | undefined
}

/** The requests of each slot, the oldest first, and what else was summed up in it; `at` in epoch ms. */
export function requestsOverTime(recent: Recent): ({ at: number; totals: Map<string, number> } & RequestCounts)[] {
  return recent.slots.map(({ at, parts }) => {
    const sums = noRequests()
    for (const { routes } of parts) for (const more of routes.values()) add(sums, more)
    return { at, totals: totalsOf(parts), ...counts(sums) }
  })
}

/** The requests of the whole stretch, and what else was summed up. */
export function requestsAltogether(recent: Recent): { totals: Map<string, number> } & RequestCounts {
  const parts = recent.slots.flatMap((slot) => slot.parts)
  const sums = noRequests()
  for (const { routes } of parts) for (const more of routes.values()) add(sums, more)
  return { totals: totalsOf(parts), ...counts(sums) }
}

/** The requests by route, the most first. */
export function requestsByRoute(recent: Recent): ({ routeId: string } & RequestCounts)[] {
  const found = new Map<string, RouteSums>()
  for (const { parts } of recent.slots) {
    for (const { routes } of parts) {
      for (const [route, more] of routes) {
        const sums = found.get(route) ?? noRequests()
        found.set(route, sums)
        add(sums, more)
      }
    }
  }
  return [...found]
    .map(([routeId, sums]) => ({ routeId, ...counts(sums) }))
    .sort((a, b) => b.requests - a.requests || (a.routeId < b.routeId ? -1 : 1))
}

/** The sums of one kind by the rest of their names, the greatest first. */
export function totalsNamed(
  totals: ReadonlyMap<string, number>,
  kind: keyof typeof totalNames,
): { name: string; count: number }[] {
  const start = totalNames[kind]
  return [...totals]
    .filter(([name]) => name.startsWith(start))
    .map(([name, count]) => ({ name: name.slice(start.length), count }))
    .sort((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
}

function totalsOf(parts: readonly Slot[]): Map<string, number> {
  const found = new Map<string, number>()
  for (const { totals } of parts) for (const [name, count] of totals) found.set(name, (found.get(name) ?? 0) + count)
  return found
}

function counts({ requests, clientErrors, serviceErrors, ownErrors, latency }: RouteSums): RequestCounts {
  const [p50Ms, p95Ms] = [quantileMs(latency, 0.5), quantileMs(latency, 0.95)]
  return { requests, clientErrors, serviceErrors, ownErrors, p50Ms, p95Ms }
}

function add(sums: RouteSums, more: RouteSums): void {
  sums.requests += more.requests
  sums.clientErrors += more.clientErrors
  sums.serviceErrors += more.serviceErrors
  sums.ownErrors += more.ownErrors
  for (const [index, count] of more.latency.entries()) sums.latency[index] = (sums.latency[index] ?? 0) + count
}
