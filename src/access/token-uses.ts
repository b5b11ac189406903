// What the calls with one token count in: numbers that stand beside the remembered token, and that tokens of one
// application share. usage-counts.ts fills them.

import type { CountedCalls } from './usage-sums.js'

/** What is counted for: one object for as long as its route is configured. */
export interface CountedRoute {
  readonly id: string
}

/** One call that was let pass; told when its answer was an error. */
export interface CountedCall {
  failed(status: number): void
}

/** Calls to one route since they were last gathered: of tokens of one application that the same permissions let pass. */
export interface RouteUses extends CountedCalls, CountedCall {
  readonly route: CountedRoute
  /** Whether it waits to be gathered. */
  isNoted: boolean
}

/** Of one token. */
export interface TokenUses {
  latest: RouteUses
  /** By route, from the second one on. */
  all: Map<CountedRoute, RouteUses> | undefined
}
