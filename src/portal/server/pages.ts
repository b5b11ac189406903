// The pages for operators of the installation.

import type { FastifyInstance } from 'fastify'
import type { PortalDependencies } from '../dependencies.js'
import { registerBrandsPage } from './brands-page.js'
import { registerFirstOwnerPage } from './first-owner-page.js'
import { registerKeysPage } from './keys-page.js'
import { registerOperatorsPage } from './operators-page.js'
import { registerProviderPage } from './provider-page.js'
import { registerProvidersPage } from './providers-page.js'
import { registerRoutesPage } from './routes-page.js'
import { registerStatusPage } from './status-page.js'
import { registerTenantsPage } from './tenants-page.js'

/** Registers them all. */
export function serverPages(scope: FastifyInstance, deps: PortalDependencies): void {
  registerTenantsPage(scope, deps)
  registerFirstOwnerPage(scope, deps)
  registerKeysPage(scope, deps)
  registerOperatorsPage(scope, deps)
  registerBrandsPage(scope, deps)
  registerProvidersPage(scope, deps)
  registerProviderPage(scope, deps)
  registerRoutesPage(scope, deps)
  registerStatusPage(scope, deps)
}
