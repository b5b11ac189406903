// A slot as text, for the Store. Names stand in it once: a hundred applications call the same few routes.

import { buckets } from '../observability/metrics.js'
import { callCounts, type RouteSums, type Slot } from './slot.js'
import { addCalls, addRoute, addTotal, type Interned } from './slot-sums.js'

interface SlotText {
  names: string[]
  /** Indexes of tenant, application and route, then the counts. */
  calls: number[][]
  /** Index of the route, four counts, then its latencies. */
  routes: number[][]
  totals: Record<string, number>
}

/** The text of a slot. */
export function slotText(slot: Slot): string {
  const places = new Map<string, number>()
  const place = (name: string): number => {
    const known = places.get(name) ?? places.size
    places.set(name, known)
    return known
  }
  const calls = [...slot.calls].map(([series, sums]) => [
    ...[place(series.tenantId), place(series.applicationId), place(series.routeId)],
    ...sums,
  ])
  const routes = [...slot.routes].map(([route, sums]) => [
    ...[place(route), sums.requests, sums.clientErrors, sums.serviceErrors, sums.ownErrors],
    ...sums.latency,
  ])
  const text: SlotText = { names: [...places.keys()], calls, routes, totals: Object.fromEntries(slot.totals) }
  return JSON.stringify(text)
}

/** Adds a text to a slot. What is no text of ours, such as one of a later version, adds nothing. */
export function addText(slot: Slot, text: string, intern: Interned): void {
  const read = parsed(text)
  if (read === undefined) return
  const name = (index: number | undefined) => read.names[index ?? -1] ?? ''
  for (const [tenant, application, route, ...sums] of read.calls) {
    if (sums.length !== callCounts.length) continue
    addCalls(slot, intern, { tenantId: name(tenant), applicationId: name(application), routeId: name(route) }, sums)
  }
  for (const [route, requests = 0, clientErrors = 0, serviceErrors = 0, ownErrors = 0, ...latency] of read.routes) {
    const sums: RouteSums = { requests, clientErrors, serviceErrors, ownErrors, latency }
    if (latency.length === buckets.length + 1) addRoute(slot, name(route), sums)
  }
  for (const [total, count] of Object.entries(read.totals)) addTotal(slot, total, count)
}

function parsed(text: string): SlotText | undefined {
  try {
    const read = JSON.parse(text) as Partial<SlotText>
    const { names, calls, routes, totals } = read
    const lists = [names, calls, routes].every(Array.isArray)
    if (!lists || typeof totals !== 'object' || totals === null) return undefined
    return read as SlotText
  } catch {
    return undefined
  }
}
