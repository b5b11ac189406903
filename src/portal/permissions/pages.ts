// The pages about the permissions of an application:
//
//   GET /portal/applications/{id}/permissions           the list; POST removes what is not used
//   …/permissions/add, …/remove, …/consent              one change each

import type { FastifyInstance } from 'fastify'
import type { PortalDependencies } from '../dependencies.js'
import { registerAddPermission } from './add-page.js'
import { registerGrantConsent } from './consent-page.js'
import { registerPermissions } from './permissions-page.js'
import { registerRemovePermission } from './remove-page.js'

/** Registers them. */
export function permissionPages(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPermissions(scope, deps)
  registerAddPermission(scope, deps)
  registerRemovePermission(scope, deps)
  registerGrantConsent(scope, deps)
}
