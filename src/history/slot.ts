// What was counted in one slot of time: calls of applications, requests by route, and a few sums by name. slot-sums.ts
// fills it.

import { buckets } from '../observability/metrics.js'

/** Stands for whatever was too much to be told apart: a route, an application, a tenant. */
export const others = '_other'

/** Who called what. One object for all slots. */
export interface CallSeries {
  readonly tenantId: string
  readonly applicationId: string
  readonly routeId: string
}

/** In the order of `callCounts`. */
export type CallSums = number[]
export const callCounts = [
  'allowed',
  'notPermitted',
  'limited',
  'tokenRefused',
  'clientErrors',
  'serverErrors',
] as const

/** Requests of one route: how they were answered, and how many of them took how long, not cumulative. */
export interface RouteSums {
  requests: number
  clientErrors: number
  /** By the service behind the gate, and by this server itself. */
  serviceErrors: number
  ownErrors: number
  /** For each bound of the metrics' histograms, and beyond. */
  latency: number[]
}

export interface Slot {
  /** When it began; epoch ms. */
  readonly at: number
  readonly calls: Map<CallSeries, CallSums>
  /** How many of `calls` each tenant has. */
  readonly tenants: Map<string, number>
  readonly routes: Map<string, RouteSums>
  /** By name, such as `sign-in failed`. */
  readonly totals: Map<string, number>
}

/** Of a route that nobody requested. */
export function noRequests(): RouteSums {
  const latency = Array.from({ length: buckets.length + 1 }, () => 0)
  return { requests: 0, clientErrors: 0, serviceErrors: 0, ownErrors: 0, latency }
}

/** A slot in which nothing was counted. */
export function emptySlot(at: number): Slot {
  return { at, calls: new Map(), tenants: new Map(), routes: new Map(), totals: new Map() }
}
