// The catalogue of permissions: what the configuration has, and the caller's own APIs.

import type { FastifyInstance } from 'fastify'
import { callerOf, requires } from '../access/access.js'
import { owns } from '../access/ownership.js'
import type { ManagementDependencies } from '../dependencies.js'
import { answers } from '../schemas.js'

/** `GET /permissions`. */
export function catalogueRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  app.get(
    '/permissions',
    { config: requires('Tenant.Read.All'), schema: { response: { 200: answers.permissions } } },
    async (request) => {
      const caller = callerOf(request)
      const { permissions } = deps.settings.catalogue
      // A tenant's own APIs are its own business.
      const shown = permissions.filter(({ tenantId }) => tenantId === undefined || owns(caller, tenantId))
      return { value: shown.map((permission) => ({ ...permission, description: permission.describe })) }
    },
  )
}
