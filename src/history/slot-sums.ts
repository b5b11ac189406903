// Adding to a slot. Bounded: what is too much to be told apart is counted under others, so that sums are always right,
// and no tenant can take more than its part of the room.

import { type CallSeries, others, type RouteSums, type Slot } from './slot.js'

/** Series of one slot that are told apart, and how many of them one tenant may have. */
export const slotLimits = { series: 1_000, ofTenant: 500 } as const
const mostRoutes = 300
const mostTotals = 300
/** How much of the room is for others. */
const extra = 1.2

/** The one object of a series. */
export type Interned = (tenantId: string, applicationId: string, routeId: string) => CallSeries

/** Adds calls; those that find no room of their own are counted with others. */
export function addCalls(slot: Slot, intern: Interned, series: CallSeries, sums: readonly number[]): void {
  const own = placeOf(slot, intern, series)
  const known = slot.calls.get(own)
  if (known === undefined) {
    slot.calls.set(own, [...sums])
    slot.tenants.set(own.tenantId, (slot.tenants.get(own.tenantId) ?? 0) + 1)
  } else for (const [index, count] of sums.entries()) known[index] = (known[index] ?? 0) + count
}

function placeOf({ calls, tenants }: Slot, intern: Interned, { tenantId, applicationId, routeId }: CallSeries) {
  const whole = intern(tenantId, applicationId, routeId)
  const has = tenants.get(tenantId) ?? 0
  if (calls.has(whole) || (calls.size < slotLimits.series && has < slotLimits.ofTenant)) return whole
  const ofApplication = intern(tenantId, applicationId, others)
  const isRoom = calls.size < slotLimits.series * extra && has < slotLimits.ofTenant * extra
  if (calls.has(ofApplication) || isRoom) return ofApplication
  const ofTenant = intern(tenantId, others, others)
  return calls.has(ofTenant) || calls.size < slotLimits.series * extra * extra
    ? ofTenant
    : intern(others, others, others)
}

/** Adds requests of a route. */
export function addRoute(slot: Slot, route: string, sums: RouteSums): void {
  const name = slot.routes.has(route) || slot.routes.size < mostRoutes ? route : others
  const known = slot.routes.get(name)
  if (known === undefined) {
    slot.routes.set(name, { ...sums, latency: [...sums.latency] })
    return
  }
  known.requests += sums.requests
  known.clientErrors += sums.clientErrors
  known.serviceErrors += sums.serviceErrors
  known.ownErrors += sums.ownErrors
  for (const [index, count] of sums.latency.entries()) known.latency[index] = (known.latency[index] ?? 0) + count
}

/** Adds to a sum by its name. */
export function addTotal(slot: Slot, name: string, count: number): void {
  const place = slot.totals.has(name) || slot.totals.size < mostTotals ? name : others
  slot.totals.set(place, (slot.totals.get(place) ?? 0) + count)
}
