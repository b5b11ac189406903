// What the tokens counted, added up to the rows that the Store keeps: by application, tenant and day, once for each
// permission and once for each route; and sign-ins with and without PKCE by application and day. Bounded, for the Store
// may be away for long.

import type { PkceUsageRow } from '../storage/sql/registrations/pkce/pkce-uses.js'
import type { PermissionUsageRow, RouteUsageRow } from '../storage/sql/usage/usage.js'

/** The calls with one token to one route. */
export interface CountedCalls {
  readonly applicationId: string
  readonly tenantId: string
  readonly kind: 'application' | 'delegated'
  readonly resource: string
  readonly routeId: string
  /** What opened the route to those that were let pass. */
  permissions: readonly string[]
  allowed: number
  notPermitted: number
  limited: number
  tokenRefused: number
  clientErrors: number
  serverErrors: number
}

export interface UsageRows {
  permissions: readonly PermissionUsageRow[]
  routes: readonly RouteUsageRow[]
  pkce: readonly PkceUsageRow[]
}

export interface UsageSums {
  /** Adds calls of the day of `atMs` (epoch). */
  add(calls: CountedCalls, atMs: number): void
  /** A code that an application got, for a request with a PKCE challenge or without. */
  addCode(applicationId: string, hadChallenge: boolean, atMs: number): void
  /** What was added since the last call; undefined: nothing. */
  take(): UsageRows | undefined
}

const dayMs = 86_400_000
/** Stands for the routes of an application that were too many to be told apart. */
const otherRoutes = '_other'

/** Days since 1970 in UTC. */
export function dayOf(ms: number): number {
  return Math.floor(ms / dayMs)
}

/** Builds empty sums of at most `mostRows` rows of each kind; `onDropped` hears of calls that found no place. */
export function createUsageSums(options: { mostRows: number; onDropped: (calls: number) => void }): UsageSums {
  const { mostRows, onDropped } = options
  let permissions = new Map<string, PermissionUsageRow>()
  let routes = new Map<string, RouteUsageRow>()
  let pkce = new Map<string, PkceUsageRow>()

  function addPermission(calls: CountedCalls, id: string, atMs: number): void {
    const { applicationId, tenantId, kind, resource, allowed } = calls
    const day = dayOf(atMs)
    const key = [applicationId, tenantId, kind, resource, id, day].join('\n')
    const known = permissions.get(key)
    if (known !== undefined) {
      known.uses += allowed
      known.last_used_at = Math.max(known.last_used_at, atMs)
      known.first_used_at = Math.min(known.first_used_at, atMs)
    } else if (permissions.size < mostRows) {
      permissions.set(key, {
        application_id: applicationId,
        tenant_id: tenantId,
        kind,
        resource,
        permission_id: id,
        day,
        uses: allowed,
        first_used_at: atMs,
        last_used_at: atMs,
      })
    } else onDropped(allowed)
  }

  function addCode(application_id: string, hadChallenge: boolean, atMs: number): void {
    const day = dayOf(atMs)
    const key = `${application_id}\n${day}`
    const known = pkce.get(key)
    if (known === undefined && pkce.size >= mostRows) {
      onDropped(1)
      return
    }
    const row = known ?? { application_id, day, with_challenge: 0, without_challenge: 0, last_without_at: 0 }
    pkce.set(key, row)
    if (hadChallenge) row.with_challenge += 1
    else {
      row.without_challenge += 1
      row.last_without_at = Math.max(row.last_without_at, atMs)
    }
  }

  /** The row of a route; of the other routes when there are too many; undefined when there is no room at all. */
  function routeRow(calls: CountedCalls, day: number): RouteUsageRow | undefined {
    const { applicationId: application_id, tenantId: tenant_id } = calls
    const find = (route: string, most: number): RouteUsageRow | undefined => {
      const key = [application_id, tenant_id, day, route].join('\n')
      const known = routes.get(key)
      if (known !== undefined || routes.size >= most) return known
      const counts = { allowed: 0, not_permitted: 0, limited: 0, token_refused: 0, client_errors: 0, server_errors: 0 }
      const made = { application_id, tenant_id, day, route, ...counts }
      routes.set(key, made)
      return made
    }
    return find(calls.routeId, mostRows) ?? find(otherRoutes, mostRows + mostRows / 10)
  }

  return {
    add(calls, atMs) {
      const { allowed, notPermitted, limited, tokenRefused } = calls
      if (allowed > 0) for (const id of calls.permissions) addPermission(calls, id, atMs)
      const row = routeRow(calls, dayOf(atMs))
      if (row === undefined) return onDropped(allowed + notPermitted + limited + tokenRefused)
      row.allowed += allowed
      row.not_permitted += notPermitted
      row.limited += limited
      row.token_refused += tokenRefused
      row.client_errors += calls.clientErrors
      row.server_errors += calls.serverErrors
    },
    addCode,
    take() {
      if (routes.size === 0 && permissions.size === 0 && pkce.size === 0) return undefined
      const taken = { permissions: [...permissions.values()], routes: [...routes.values()], pkce: [...pkce.values()] }
      permissions = new Map()
      routes = new Map()
      pkce = new Map()
      return taken
    },
  }
}
