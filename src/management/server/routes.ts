// The routes of this instance's gate, as they were compiled: for those who look after the server.

import type { FastifyInstance } from 'fastify'
import { type Static, Type } from 'typebox'
import type { RouteSettings } from '../../config/settings/route-settings.js'
import { type RequestCounts, requestsByRoute } from '../../history/requests.js'
import { requires } from '../access/access.js'
import type { ManagementDependencies } from '../dependencies.js'

const route = Type.Object({
  id: Type.String(),
  path: Type.String(),
  /** By method: lists of permissions of which one list is enough, or nothing that anybody needs. */
  methods: Type.Array(
    Type.Object({
      method: Type.String(),
      public: Type.Boolean(),
      anyOf: Type.Array(Type.Array(Type.String())),
    }),
  ),
  resource: Type.String(),
  upstream: Type.String(),
  limits: Type.Array(Type.String()),
  /** What those limits are; one that no file says any more is left out. */
  limitValues: Type.Array(
    Type.Object({
      name: Type.String(),
      /** What is counted together. */
      by: Type.Array(Type.String()),
      kind: Type.Enum(['rate', 'quota']),
      limit: Type.Integer(),
      periodSeconds: Type.Number(),
    }),
  ),
  /** Of the last 24 hours, at all instances; 5xx of the service and of this server. */
  lastDay: Type.Object({ requests: Type.Integer(), clientErrors: Type.Integer(), serverErrors: Type.Integer() }),
  bodyBytes: Type.Integer(),
  onStale: Type.Enum(['refuse', 'pass']),
  /** Where it stands in the configuration: `file:line:column`. */
  position: Type.String(),
})
const routes = Type.Object({ value: Type.Array(route) })
export type RoutesAnswer = Static<typeof routes>

/** `GET /routes`. */
export function routeRoutes(
  app: FastifyInstance,
  { settings, history }: Pick<ManagementDependencies, 'settings' | 'history'>,
): void {
  app.get(
    '/routes',
    { config: requires('Server.Read', 'operator'), schema: { response: { 200: routes } } },
    async () => {
      const recent = await history.recent('24h')
      const counted = new Map(requestsByRoute(recent).map((line) => [line.routeId, line]))
      return { value: settings.routes.map((one) => routeAnswer(one, settings, counted.get(one.id))) }
    },
  )
}

function routeAnswer(
  { methods, limits, position, ...rest }: RouteSettings,
  settings: Pick<ManagementDependencies['settings'], 'limits'>,
  counted: RequestCounts | undefined,
): RoutesAnswer['value'][number] {
  const { file, line, column } = position
  return {
    ...rest,
    limits: [...limits],
    limitValues: limits.flatMap((name) => {
      const policy = settings.limits.get(name)
      if (policy === undefined) return []
      const { kind, limit, periodMs } = policy.algorithm
      return [{ name, by: [...policy.by], kind, limit, periodSeconds: periodMs / 1000 }]
    }),
    lastDay: {
      requests: counted?.requests ?? 0,
      clientErrors: counted?.clientErrors ?? 0,
      serverErrors: (counted?.serviceErrors ?? 0) + (counted?.ownErrors ?? 0),
    },
    methods: [...methods].map(([method, requirement]) => ({
      method,
      public: requirement === 'public',
      anyOf: requirement === 'public' ? [] : requirement.anyOf.map((list) => [...list]),
    })),
    position: `${file}:${line}:${column}`,
  }
}
