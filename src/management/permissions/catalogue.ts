// The catalogue of permissions: what the configuration has, and the caller's own APIs.

import type { FastifyInstance } from 'fastify'
import { type Caller, callerOf, requires } from '../access/access.js'
import { owns } from '../access/ownership.js'
import type { ManagementDependencies } from '../dependencies.js'
import { type Answer, answers } from '../schemas.js'

/** `GET /permissions`. */
export function catalogueRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  app.get(
    '/permissions',
    { config: requires('Tenant.Read.All'), schema: { response: { 200: answers.permissions } } },
    async (request) => {
      return { value: shownPermissions(deps, callerOf(request)) }
    },
  )
}

/** Those of the configuration, and of the caller's own APIs: what another tenant defines is its own business. */
export function shownPermissions(
  { settings: { catalogue } }: Pick<ManagementDependencies, 'settings'>,
  caller: Caller,
): Answer<'permissions'>['value'] {
  const shown = catalogue.permissions.filter(({ tenantId }) => tenantId === undefined || owns(caller, tenantId))
  return shown.map(({ id, resource, kinds, describe, descriptions, adminConsent, covers }) => ({
    id,
    resource,
    kinds: [...kinds],
    description: describe,
    ...(descriptions === undefined ? {} : { descriptions }),
    adminConsent,
    covers: [...covers],
  }))
}
