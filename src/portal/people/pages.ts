// The pages about the people of a tenant.

import type { FastifyInstance } from 'fastify'
import type { PortalDependencies } from '../dependencies.js'
import { registerEndPersonPages } from './end-person-page.js'
import { registerPeoplePage } from './people-page.js'
import { registerPersonPage } from './person-page.js'

/** Registers them. */
export function peoplePages(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPeoplePage(scope, deps)
  registerPersonPage(scope, deps)
  registerEndPersonPages(scope, deps)
}
