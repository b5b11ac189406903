// The pages about consents of a tenant.

import type { FastifyInstance } from 'fastify'
import type { PortalDependencies } from '../dependencies.js'
import { registerAccessPage } from './access-page.js'
import { registerAppsPage } from './apps-page.js'
import { registerInboxPage } from './inbox-page.js'

/** Registers them. */
export function consentPages(scope: FastifyInstance, deps: PortalDependencies): void {
  registerInboxPage(scope, deps)
  registerAppsPage(scope, deps)
  registerAccessPage(scope, deps)
}
