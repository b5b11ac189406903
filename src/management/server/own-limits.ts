// What is left of the limits that count for the caller: of their address, application, tenant and person. Looked at,
// never charged; with the tokens of others nothing of it can be seen.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import type { Settings } from '../../config/settings/settings.js'
import { ApiError } from '../../http/answers/api-error.js'
import { requestContext } from '../../http/requests/request-context.js'
import type { LimitSubject } from '../../limits/compiled-policy.js'
import type { LimitDecision } from '../../limits/limiter.js'
import { callerOf, requires } from '../access/access.js'
import type { ManagementDependencies } from '../dependencies.js'

const limit = Type.Object({
  name: Type.String(),
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
const limits = Type.Object({ value: Type.Array(limit) })

const query = Type.Object(
  { route: Type.Optional(Type.String({ minLength: 1, maxLength: 1024 })) },
  { additionalProperties: false },
)

/** As many as the limiter decides together. */
const mostTogether = 31

/** `GET /usage/limits`: of all routes together; with `route`, an id such as `GET /api/v2/me`, those of this route. */
export function ownLimitRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  app.get<{ Querystring: Static<typeof query> }>(
    '/usage/limits',
    { config: requires('Usage.Read.All', 'caller'), schema: { querystring: query, response: { 200: limits } } },
    async (request) => {
      const { route } = request.query
      const names = route === undefined ? namesOfAll(deps.settings) : namesOf(deps.settings, route)
      const subject = subjectOf(deps, request, route)
      const looks = names.map((together) => deps.limiter.peek(together, subject))
      return { value: (await Promise.all(looks)).flatMap(answer) }
    },
  )
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
  const route = routes.find((one) => one.id === id)
  if (route === undefined) throw new ApiError(404, 'RouteNotFound', 'There is no such route.', { target: 'route' })
  return [route.limits]
}

/** In the order of their names, in groups that can be looked at together. */
function namesOfAll({ routes, tokenLimits }: Pick<Settings, 'routes' | 'tokenLimits'>): readonly (readonly string[])[] {
  const names = [...new Set([...routes.flatMap((route) => route.limits), ...tokenLimits])].sort()
  const groups = Math.ceil(names.length / mostTogether)
  return Array.from({ length: groups }, (_, at) => names.slice(at * mostTogether, (at + 1) * mostTogether))
}

function answer({ policies, states }: LimitDecision): Static<typeof limit>[] {
  return policies.map(({ name, by, algorithm }, at) => ({
    name,
    by: [...by],
    kind: algorithm.kind,
    limit: algorithm.limit,
    periodSeconds: algorithm.periodMs / 1000,
    burst: algorithm.kind === 'rate' ? algorithm.burst : null,
    remaining: states[at]?.remaining ?? 0,
    resetSeconds: Math.ceil((states[at]?.resetMs ?? 0) / 1000),
  }))
}
