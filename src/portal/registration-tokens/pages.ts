// The pages about registration tokens.

import type { FastifyInstance } from 'fastify'
import type { PortalDependencies } from '../dependencies.js'
import { registerEndToken } from './end-page.js'
import { registerTokensPage } from './tokens-page.js'

/** Registers them. */
export function registrationTokenPages(scope: FastifyInstance, deps: PortalDependencies): void {
  registerTokensPage(scope, deps)
  registerEndToken(scope, deps)
}
