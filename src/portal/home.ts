// /portal: where to begin, by what the person is there for.

import type { FastifyInstance } from 'fastify'
import { isAtLeast } from '../users/memberships/roles.js'
import { registerPage } from '../web/page-routes.js'
import { getPage } from './context.js'
import type { PortalDependencies } from './dependencies.js'

/** Registers it. */
export function registerHome(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: '/portal',
    routeId: 'portal',
    get: getPage(deps, async (_request, reply, { currentTenant, link }) =>
      reply.redirect(link(isAtLeast(currentTenant.role, 'developer') ? '/portal/applications' : '/portal/tenant'), 303),
    ),
  })
}
