// Who still calls an API: the applications that called its operations in the last hour, the last day and thirty days,
// by route. Out of the short history and the usage by day, so nothing is counted for it.

import type { FastifyInstance } from 'fastify'
import { type Static, Type } from 'typebox'
import { callsBy } from '../../history/calls.js'
import type { Recent } from '../../history/history.js'
import { ApiError } from '../../http/answers/api-error.js'
import { sumRouteUsage } from '../../storage/sql/usage/usage-reads.js'
import { callerOf, requires } from '../access/access.js'
import { ownTenantId } from '../access/ownership.js'
import type { ManagementDependencies } from '../dependencies.js'
import { isOperator } from '../people/tenant-of-path.js'
import { requireApi } from './api-catalogue.js'

const count = Type.Integer()
const textOrNull = Type.Union([Type.String(), Type.Null()])

/** `everywhere`: calls in all tenants, for operators. */
const query = Type.Object(
  {
    operationId: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
    everywhere: Type.Optional(Type.Enum(['true', 'false'])),
  },
  { additionalProperties: false },
)
const callers = Type.Object({
  /** Whose calls these are; null: everybody's. */
  tenantId: textOrNull,
  /** False: not all instances could be read, so the last hour and day are a part. */
  complete: Type.Boolean(),
  value: Type.Array(
    Type.Object({
      /** The id of the route; several operations may go through one. */
      route: Type.String(),
      applicationId: Type.String(),
      /** Null: it is gone. */
      name: textOrNull,
      homeTenantId: textOrNull,
      homeTenant: textOrNull,
      lastHour: count,
      lastDay: count,
      /** Days in UTC, today among them. */
      lastThirtyDays: count,
    }),
  ),
})
export type Callers = Static<typeof callers>

const dayMs = 86_400_000
const days = 30
/** The most called; more are left out. */
const mostLines = 1_000
const mostRows = 10_000

/** `GET /apiCatalogue/{id}/callers`. */
export function callerRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  app.get<{ Params: { id: string }; Querystring: Static<typeof query> }>(
    '/apiCatalogue/:id/callers',
    { config: requires('Usage.Read.All'), schema: { querystring: query, response: { 200: callers } } },
    async (request) => {
      const caller = callerOf(request)
      const { operationId } = request.query
      const everywhere = request.query.everywhere === 'true'
      if (everywhere && !isOperator(caller)) {
        const message = 'Only operators of this installation see calls of all tenants.'
        throw new ApiError(403, 'OperatorRequired', message, { target: 'everywhere' })
      }
      const { entry } = await requireApi(deps, caller, request.params.id)
      const meant = entry.operations.filter(
        ({ operation }) => operationId === undefined || operation.operationId === operationId,
      )
      if (operationId !== undefined && meant.length === 0) {
        throw new ApiError(404, 'NotFound', 'This API has no such operation.', { target: 'operationId' })
      }
      const routes = new Set(meant.flatMap(({ method, path }) => deps.routeOf(method, somePath(path)) ?? []))
      const tenantId = everywhere ? undefined : ownTenantId(caller, undefined)
      return readCallers(deps, routes, tenantId)
    },
  )
}

/** A path that the route of a described one would take: parameters stand for what no route spells out. */
function somePath(path: string): string {
  return path.replace(/\{[^{}]+\}/g, '-0-')
}

interface Line {
  route: string
  applicationId: string
  lastHour: number
  lastDay: number
  lastThirtyDays: number
}

async function readCallers(
  deps: ManagementDependencies,
  routes: ReadonlySet<string>,
  tenantId: string | undefined,
): Promise<Callers> {
  const lines = new Map<string, Line>()
  const add = (route: string, applicationId: string, of: 'lastHour' | 'lastDay' | 'lastThirtyDays', calls: number) => {
    if (!routes.has(route) || calls === 0) return
    const key = `${route}\n${applicationId}`
    const line = lines.get(key) ?? { route, applicationId, lastHour: 0, lastDay: 0, lastThirtyDays: 0 }
    line[of] += calls
    lines.set(key, line)
  }
  const addRecent = (recent: Recent, of: 'lastHour' | 'lastDay') => {
    for (const line of callsBy(recent, { tenantId }, { route: true, application: true })) {
      const { allowed, notPermitted, limited, tokenRefused } = line
      add(line.routeId ?? '', line.applicationId ?? '', of, allowed + notPermitted + limited + tokenRefused)
    }
  }
  const [hour, day] = [await deps.history.recent('1h'), await deps.history.recent('24h')]
  addRecent(hour, 'lastHour')
  addRecent(day, 'lastDay')
  const today = Math.floor(deps.writes.now() / dayMs)
  const filter = { tenantId, from: today - days + 1, to: today }
  for (const row of await sumRouteUsage(deps.store.reader, filter, ['route', 'application_id'], mostRows)) {
    const [route = '', applicationId = ''] = row.key.split('\n')
    add(route, applicationId, 'lastThirtyDays', row.allowed + row.not_permitted + row.limited + row.token_refused)
  }
  const most = [...lines.values()].sort((one, other) => rank(other) - rank(one)).slice(0, mostLines)
  return {
    tenantId: tenantId ?? null,
    complete: hour.complete && day.complete,
    value: await Promise.all(most.map((line) => named(deps, line))),
  }
}

/** What is not written down by day yet counts by its hour. */
function rank({ lastHour, lastDay, lastThirtyDays }: Line): number {
  return Math.max(lastHour, lastDay, lastThirtyDays)
}

async function named({ directory }: ManagementDependencies, line: Line): Promise<Callers['value'][number]> {
  const registration = await directory.findRegistration(line.applicationId)
  const home = registration === undefined ? undefined : await directory.findTenant(registration.tenantId)
  return {
    ...line,
    name: registration?.name ?? null,
    homeTenantId: registration?.tenantId ?? null,
    homeTenant: home?.name ?? null,
  }
}
