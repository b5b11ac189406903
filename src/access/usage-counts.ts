// How often an application called which route, and which of its permissions opened it. Counted on every call, so it is
// numbers in an object that is found through the remembered token: no string is made, no map is written to. Tokens of one
// application count in one object, so that those which are new leave nothing behind. What was counted is added up by
// application, tenant and day when it is gathered, every few seconds.

import type { TokenPrincipal } from './principal.js'
import type { CountedCall, CountedRoute, RouteUses } from './token-uses.js'
import { type CountedCalls, createUsageSums, type UsageRows } from './usage-sums.js'

export interface UsageCounts {
  /** A call that was let pass, and the ids that opened the route to it: always the same for one token and one route. */
  allowed(principal: TokenPrincipal, route: CountedRoute, permissions: readonly string[]): CountedCall
  /** A call of a known caller that was refused with 401 (its token), 403 (a permission it lacks) or 429 (a limit). */
  refused(principal: TokenPrincipal, routeId: string, status: number): void
  /**
   * A code that an application got: somebody signed in and agreed. Of requests of untrusted parties nothing is counted.
   */
  code(applicationId: string, hadChallenge: boolean): void
  /** Adds up what the tokens counted, for the day that it is now. */
  gather(): void
  /** What was added up since the last call, and begins anew; undefined when that is nothing. */
  take(): UsageRows | undefined
}

export interface UsageCountsOptions {
  /** Epoch milliseconds. */
  now: () => number
  /** Hears of calls as they are gathered, with the time of that. */
  onGathered?: ((calls: CountedCalls, atMs: number) => void) | undefined
  /** Hears of calls that were too many different ones to be kept. */
  onDropped: (calls: number) => void
  /** Rows of each kind that are kept until they are written. */
  mostRows?: number | undefined
}

/** Callers × routes that wait to be gathered; beyond it that happens at once, into fewer rows. */
const mostNoted = 10_000
/** Of them that are found by a token that is new. */
const mostShared = 10_000
const defaultMostRows = 50_000

/** Builds the counts of one instance. */
export function createUsageCounts(options: UsageCountsOptions): UsageCounts {
  const { now, onDropped, onGathered, mostRows = defaultMostRows } = options
  const sums = createUsageSums({ mostRows, onDropped })
  const noted: RouteUses[] = []
  /** For refusals, which are rare enough to be found by name. */
  const refusing = new Map<string, CountedRoute>()

  function gather(): void {
    const atMs = now()
    for (const uses of noted) {
      sums.add(uses, atMs)
      onGathered?.(uses, atMs)
      uses.allowed = uses.clientErrors = uses.serverErrors = 0
      uses.notPermitted = uses.limited = uses.tokenRefused = 0
      uses.isNoted = false
    }
    noted.length = 0
  }

  function note(uses: RouteUses): void {
    uses.isNoted = true
    if (noted.push(uses) >= mostNoted) gather()
  }

  /** By route, and by all else that rows are told apart by. */
  let shared = new WeakMap<CountedRoute, Map<string, RouteUses>>()
  let sharedSize = 0

  function sharedUses(principal: TokenPrincipal, route: CountedRoute, permissions: readonly string[]): RouteUses {
    const ofRoute = shared.get(route) ?? new Map<string, RouteUses>()
    const key = keyOf(principal, permissions)
    const known = ofRoute.get(key)
    if (known !== undefined) return known
    if (sharedSize >= mostShared) {
      shared = new WeakMap()
      sharedSize = 0
      ofRoute.clear()
    }
    const made = routeUses(principal, route, note)
    shared.set(route, ofRoute.set(key, made))
    sharedSize += 1
    return made
  }

  function usesOf(principal: TokenPrincipal, route: CountedRoute, permissions: readonly string[]): RouteUses {
    const { uses } = principal
    return uses !== undefined && uses.latest.route === route ? uses.latest : otherUses(principal, route, permissions)
  }

  function otherUses(principal: TokenPrincipal, route: CountedRoute, permissions: readonly string[]): RouteUses {
    const { uses } = principal
    if (uses === undefined) {
      const first = sharedUses(principal, route, permissions)
      principal.uses = { latest: first, all: undefined }
      return first
    }
    uses.all ??= new Map([[uses.latest.route, uses.latest]])
    const known = uses.all.get(route) ?? sharedUses(principal, route, permissions)
    uses.all.set(route, known)
    uses.latest = known
    return known
  }

  return {
    allowed(principal, route, permissions) {
      const uses = usesOf(principal, route, permissions)
      if (uses.allowed === 0) uses.permissions = permissions
      uses.allowed += 1
      if (!uses.isNoted) note(uses)
      return uses
    },
    refused(principal, routeId, status) {
      const route = refusing.get(routeId) ?? { id: routeId }
      refusing.set(routeId, route)
      const uses = usesOf(principal, route, none)
      if (status === 429) uses.limited += 1
      else if (status === 403) uses.notPermitted += 1
      else uses.tokenRefused += 1
      if (!uses.isNoted) note(uses)
    },
    code: (applicationId, hadChallenge) => sums.addCode(applicationId, hadChallenge, now()),
    gather,
    take() {
      gather()
      return sums.take()
    },
  }
}

const none: readonly string[] = []

/** No identifier has a line break in it, and no permission a space. */
function keyOf({ kind, tenantId, applicationId, resource }: TokenPrincipal, permissions: readonly string[]): string {
  return `${kind}\n${tenantId}\n${applicationId}\n${resource}\n${permissions.join(' ')}`
}

/** Member by member: an object that is put together by spreads is slow to count in. */
function routeUses(principal: TokenPrincipal, route: CountedRoute, note: (uses: RouteUses) => void): RouteUses {
  const uses: RouteUses = {
    route,
    permissions: [],
    allowed: 0,
    isNoted: false,
    notPermitted: 0,
    limited: 0,
    tokenRefused: 0,
    clientErrors: 0,
    serverErrors: 0,
    applicationId: principal.applicationId,
    tenantId: principal.tenantId,
    kind: principal.kind,
    resource: principal.resource,
    routeId: route.id,
    failed(status) {
      if (status >= 500) uses.serverErrors += 1
      else uses.clientErrors += 1
      if (!uses.isNoted) note(uses)
    },
  }
  return uses
}
