// Branding: of the tenant, and what applications say of themselves.

import type { FastifyInstance } from 'fastify'
import type { PortalDependencies } from '../dependencies.js'
import { registerApplicationBranding } from './application-brand-page.js'
import { registerBranding } from './brand-page.js'
import { registerBrandRemoval } from './remove-page.js'

/** Registers them. */
export function brandingPages(scope: FastifyInstance, deps: PortalDependencies): void {
  registerBranding(scope, deps)
  registerBrandRemoval(scope, deps)
  registerApplicationBranding(scope, deps)
}
