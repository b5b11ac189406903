// What is read from the history about calls of applications: over time, by route, by application, by both. Work is
// bounded by what slots hold.

import type { Recent } from './history.js'
import { type CallSeries, type CallSums, callCounts } from './slot.js'

/** Which calls are meant: all that is given must fit. */
export interface CallFilter {
  tenantId?: string | undefined
  applicationId?: string | undefined
  routeId?: string | undefined
}

/** How many calls ended how; see usage-rows.ts. */
export type CallCounts = Record<(typeof callCounts)[number], number>

export interface CallLine extends CallCounts {
  /** Present when it was grouped by it. */
  routeId?: string
  applicationId?: string
}

/** The calls of each slot, the oldest first; `at` in epoch ms. */
export function callsOverTime(recent: Recent, filter: CallFilter): ({ at: number } & CallCounts)[] {
  return recent.slots.map(({ at, parts }) => {
    const sums = noCalls()
    for (const { calls } of parts) for (const [series, more] of calls) if (fits(series, filter)) add(sums, more)
    return { at, ...named(sums) }
  })
}

/** The calls of the stretch by what is grouped, the most first. */
export function callsBy(
  recent: Recent,
  filter: CallFilter,
  by: { route?: boolean; application?: boolean },
): CallLine[] {
  const found = new Map<string, { series: CallSeries; sums: CallSums }>()
  for (const { parts } of recent.slots) {
    for (const { calls } of parts) {
      for (const [series, more] of calls) {
        if (!fits(series, filter)) continue
        const key = `${by.route === true ? series.routeId : ''}\n${by.application === true ? series.applicationId : ''}`
        const known = found.get(key) ?? { series, sums: noCalls() }
        found.set(key, known)
        add(known.sums, more)
      }
    }
  }
  const lines = [...found.values()].map(({ series, sums }) => ({
    ...(by.route === true ? { routeId: series.routeId } : {}),
    ...(by.application === true ? { applicationId: series.applicationId } : {}),
    ...named(sums),
  }))
  return lines.sort((a, b) => callsOf(b) - callsOf(a))
}

/** All calls of a line, let pass or not. */
function callsOf({ allowed, notPermitted, limited, tokenRefused }: CallCounts): number {
  return allowed + notPermitted + limited + tokenRefused
}

function fits(series: CallSeries, { tenantId, applicationId, routeId }: CallFilter): boolean {
  return (
    (tenantId === undefined || series.tenantId === tenantId) &&
    (applicationId === undefined || series.applicationId === applicationId) &&
    (routeId === undefined || series.routeId === routeId)
  )
}

function noCalls(): CallSums {
  return callCounts.map(() => 0)
}

function add(sums: CallSums, more: CallSums): void {
  for (const [index, count] of more.entries()) sums[index] = (sums[index] ?? 0) + count
}

function named(sums: CallSums): CallCounts {
  return Object.fromEntries(callCounts.map((name, index) => [name, sums[index] ?? 0])) as CallCounts
}
