// What is left of the limits that count for the caller: of their address, application, tenant and person. Looked at,
// never charged; with the tokens of others nothing of it can be seen.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import type { Settings } from '../../config/settings/settings.js'
import { ApiError } from '../../http/answers/api-error.js'
import { requestContext } from '../../http/requests/request-context.js'
import type { LimitSubject } from '../../limits/compiled-policy.js'
import type { LimitDecision } from '../../limits/limiter.js'
import { limitFacts } from '../../limits/refusal-words.js'
import { callerOf, requires } from '../access/access.js'
import type { ManagementDependencies } from '../dependencies.js'

const limit = Type.Object({
  name: Type.String(),
  /** The plan whose numbers these are; null: they count for everybody. */
  plan: Type.Union([Type.String(), Type.Null()]),
  /** What is counted together. */
  by: Type.Array(Type.Enum(['address', 'application', 'tenant', 'user', 'route'])),
  kind: Type.Enum(['rate', 'quota']),
  limit: Type.Integer(),
  periodSeconds: Type.Number(),
  /** Of a rate: so many at once. */
  burst: Type.Union([Type.Integer(), Type.Null()]),
  /** Units that could be taken now; what is lent to an instance for the next second is not among them. */
  remaining: Type.Integer(),
  /** Until all of a rate is there again, or more of a quota; 0 when nothing was taken. */
  resetSeconds: Type.Integer(),
})
const limits = Type.Object({
  /** The plan of the application; null: it has none. */
  plan: Type.Union([Type.String(), Type.Null()]),
  /** Requests of the application that its plan lets be under way at once; null: the plan does not say. */
  concurrent: Type.Union([Type.Integer(), Type.Null()]),
  /** The route that a request would take; null: the limits of all routes. */
  route: Type.Union([Type.String(), Type.Null()]),
  value: Type.Array(limit),
})

const query = Type.Object(
  {
    /** The key of a route, or a method and a path with a space between them. */
    route: Type.Optional(Type.String({ minLength: 1, maxLength: 1024 })),
    /** A real request, as a client would send it. */
    method: Type.Optional(Type.String({ pattern: '^[A-Z]{1,16}$' })),
    path: Type.Optional(Type.String({ minLength: 1, maxLength: 8192 })),
  },
  { additionalProperties: false },
)
type Query = Static<typeof query>

/** As many as the limiter decides together. */
const mostTogether = 31

/**
 * `GET /usage/limits`: of all routes together; with a method and a path those of the route that such a request would
 * take, found as the gate finds it.
 */
export function ownLimitRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  app.get<{ Querystring: Query }>(
    '/usage/limits',
    { config: requires('Usage.Read.All', 'caller'), schema: { querystring: query, response: { 200: limits } } },
    async (request) => {
      const route = routeIn(deps, request.query)
      const subject = subjectOf(deps, request, route)
      const own = subject.applicationId === undefined ? undefined : deps.limiter.planOf(subject.applicationId)
      const names = route === undefined ? namesOfAll(deps.settings) : namesOf(deps.settings, route)
      const looks = names.map((together) => deps.limiter.peek(together, subject))
      // Of one route the list has them already.
      if (route === undefined) looks.push(deps.limiter.peekPlan(subject))
      const value = (await Promise.all(looks)).flatMap(answer)
      return { plan: own?.name ?? null, concurrent: own?.concurrent ?? null, route: route ?? null, value }
    },
  )
}

/** Undefined: none is named. Throws ApiError 400, 404. */
function routeIn({ settings, routeOf }: ManagementDependencies, { route, method, path }: Query): string | undefined {
  if (route === undefined && method === undefined && path === undefined) return undefined
  if (route !== undefined && settings.routes.some(({ id }) => id === route)) return route
  const space = route?.indexOf(' ') ?? -1
  const given = route === undefined ? { method, path } : { method: route.slice(0, space), path: route.slice(space + 1) }
  if (given.method === undefined || given.path === undefined || (route !== undefined && space === -1)) {
    const message = 'Name both: ?method=GET&path=/api/v2/me.'
    throw new ApiError(400, 'InvalidRequest', message, { target: given.method === undefined ? 'method' : 'path' })
  }
  const found = routeOf(given.method, given.path)
  if (found !== undefined) return found
  const message = `No route takes ${given.method} ${given.path}: the gate would answer 404 or 405.`
  throw new ApiError(404, 'RouteNotFound', message, { target: route === undefined ? 'path' : 'route' })
}

function subjectOf(deps: ManagementDependencies, request: FastifyRequest, routeId: string | undefined): LimitSubject {
  const caller = callerOf(request)
  if (caller.kind === 'local') return { routeId }
  const { address } = deps.requestOrigin?.(request) ?? requestContext(request)
  const { principal, tenantId, person } = caller
  const applicationId = principal.kind === 'session' ? undefined : principal.applicationId
  return { address, applicationId, tenantId, userId: person?.userId ?? null, routeId }
}

function namesOf({ routes }: Pick<Settings, 'routes'>, id: string): readonly (readonly string[])[] {
  return routes.filter((one) => one.id === id).map(({ limits }) => limits)
}

/** In the order of their names, in groups that can be looked at together. */
function namesOfAll({ routes, tokenLimits }: Pick<Settings, 'routes' | 'tokenLimits'>): readonly (readonly string[])[] {
  const names = [...new Set([...routes.flatMap((route) => route.limits), ...tokenLimits])].sort()
  const groups = Math.ceil(names.length / mostTogether)
  return Array.from({ length: groups }, (_, at) => names.slice(at * mostTogether, (at + 1) * mostTogether))
}

function answer({ policies, states, plan }: LimitDecision): Static<typeof limit>[] {
  return policies.map((policy, at) => ({
    ...limitFacts(policy),
    by: [...policy.by],
    plan: policy.plan === true ? (plan ?? null) : null,
    remaining: states[at]?.remaining ?? 0,
    resetSeconds: Math.ceil((states[at]?.resetMs ?? 0) / 1000),
  }))
}
