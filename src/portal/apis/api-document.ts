// The part of the document of the API that is about one API, as a file for programs: what code generators take.

import type { FastifyInstance } from 'fastify'
import { pageHeaders } from '../../http/answers/security-headers.js'
import { registerPage } from '../../web/page-routes.js'
import { getPage } from '../context.js'
import type { PortalDependencies } from '../dependencies.js'

/** `GET /portal/apis/{apiId}/openapi.json`. */
export function registerApiDocument(scope: FastifyInstance, deps: PortalDependencies): void {
  registerPage(scope, deps, {
    path: '/portal/apis/:apiId/openapi.json',
    routeId: 'portal-api-document',
    get: getPage(deps, async (request, reply, context) => {
      const { apiId } = request.params as { apiId: string }
      const document = await context.api<object>('GET', `/apiCatalogue/${encodeURIComponent(apiId)}/openapi.json`)
      const name = apiId.replace(/[^a-z0-9-]/g, '')
      return reply
        .headers({
          ...pageHeaders(),
          'content-type': 'application/json; charset=utf-8',
          'content-disposition': `attachment; filename="${name}.openapi.json"`,
          'cache-control': 'no-store',
        })
        .send(JSON.stringify(document, null, 2))
    }),
  })
}
