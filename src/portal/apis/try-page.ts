// From the choice of an application and a call on the page of an API to Try it of that application. The address of the
// page there has the application in its path, which a form of GET cannot write.

import type { FastifyInstance } from 'fastify'
import { parseGuid } from '../../oauth/secrets/guid.js'
import { registerPage } from '../../web/page-routes.js'
import { applicationPath } from '../application-page.js'
import { getPage } from '../context.js'
import type { PortalDependencies } from '../dependencies.js'
import { cataloguePath } from './paths.js'

/** `GET /portal/apis/{apiId}/try`. */
export function registerTryApi(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: '/portal/apis/:apiId/try',
    routeId: 'portal-api-try',
    get: getPage(deps, async (_request, reply, { query, link }) => {
      const applicationId = parseGuid(query.get('application') ?? '')
      if (applicationId === undefined) return reply.redirect(link(cataloguePath), 303)
      const call = new URLSearchParams({ call: query.get('call') ?? '' })
      return reply.redirect(link(`${applicationPath(applicationId, 'try-it')}?${call}`), 303)
    }),
  })
}
