// The routes of this instance's gate, as they were compiled: for those who look after the server.

import type { FastifyInstance } from 'fastify'
import { type Static, Type } from 'typebox'
import type { RouteSettings } from '../../config/settings/route-settings.js'
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
  bodyBytes: Type.Integer(),
  onStale: Type.Enum(['refuse', 'pass']),
  /** Where it stands in the configuration: `file:line:column`. */
  position: Type.String(),
})
const routes = Type.Object({ value: Type.Array(route) })
export type RoutesAnswer = Static<typeof routes>

/** `GET /routes`. */
export function routeRoutes(app: FastifyInstance, { settings }: ManagementDependencies): void {
  app.get(
    '/routes',
    { config: requires('Server.Read', 'operator'), schema: { response: { 200: routes } } },
    async () => ({
      value: settings.routes.map(routeAnswer),
    }),
  )
}

function routeAnswer({ methods, limits, position, ...rest }: RouteSettings): RoutesAnswer['value'][number] {
  const { file, line, column } = position
  return {
    ...rest,
    limits: [...limits],
    methods: [...methods].map(([method, requirement]) => ({
      method,
      public: requirement === 'public',
      anyOf: requirement === 'public' ? [] : requirement.anyOf.map((list) => [...list]),
    })),
    position: `${file}:${line}:${column}`,
  }
}
