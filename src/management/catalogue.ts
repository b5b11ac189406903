// The catalogue of permissions, as the configuration has it.

import type { FastifyInstance } from 'fastify'
import { takes } from './access.js'
import type { ManagementDependencies } from './dependencies.js'
import { answers } from './schemas.js'

/** `GET /permissions`. */
export function catalogueRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  app.get(
    '/permissions',
    { config: takes('Tenant.Read.All'), schema: { response: { 200: answers.permissions } } },
    async () => ({
      value: deps.settings.catalogue.permissions.map((permission) => ({
        ...permission,
        description: permission.describe,
      })),
    }),
  )
}
