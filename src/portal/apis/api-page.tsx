// One API: what it is and who answers for it, the permissions with who has to consent, what will end, and every
// operation as the reference has it.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { CatalogueApi } from '../../management/api-catalogue/catalogue-schemas.js'
import { isAtLeast } from '../../users/memberships/roles.js'
import { registerPage } from '../../web/page-routes.js'
import { displayName } from '../../web/pages/display-name.js'
import { getPage, type PortalContext } from '../context.js'
import type { PortalDependencies } from '../dependencies.js'
import { sendFramed } from '../frame.js'
import { referenceScript } from '../reference/reference-script.js'
import { AboutApi } from './about-api.js'
import { Changes } from './changes.js'
import { Operations, operationViews, Schemas } from './operations.js'
import { apiPath, cataloguePath } from './paths.js'
import { PermissionsOfApi } from './permissions-of-api.js'
import { TryApi } from './try-api.js'

/** `GET /portal/apis/{apiId}`. */
export function registerApiPage(scope: FastifyInstance, deps: PortalDependencies): void {
  const views = operationViews(deps)
  registerPage(scope, deps, {
    path: '/portal/apis/:apiId',
    routeId: 'portal-api',
    get: getPage(deps, async (request, reply, context) => {
      const api = await apiOfPage(request, context)
      const shown = await views(api)
      const callers = (query: string) => context.link(`${apiPath(api.apiId, '/callers')}${query}`)
      const isDeveloper = isAtLeast(context.currentTenant.role, 'developer')
      return sendFramed(reply, context, {
        title: displayName(api.name, 80),
        tab: `${displayName(api.name, 80)} · APIs`,
        activePath: cataloguePath,
        eyebrow: <a href={context.link(cataloguePath)}>APIs</a>,
        scripts: [referenceScript.path],
        children: (
          <>
            <AboutApi context={context} api={api} callers={isDeveloper ? callers('') : undefined} />
            <Changes api={api} callers={isDeveloper ? callers : undefined} />
            <PermissionsOfApi
              api={api}
              request={isDeveloper ? context.link(apiPath(api.apiId, '/request')) : undefined}
            />
            {isDeveloper ? <TryApi context={context} api={api} applications={await ownApplications(context)} /> : null}
            <Operations api={api} views={shown.operations} />
            <Schemas schemas={shown.schemas} />
          </>
        ),
      })
    }),
  })
}

/** The API that the page's address names. Throws ApiError 404. */
export function apiOfPage(request: FastifyRequest, context: PortalContext): Promise<CatalogueApi> {
  const { apiId } = request.params as { apiId: string }
  return context.api<CatalogueApi>('GET', `/apiCatalogue/${encodeURIComponent(apiId)}`)
}

/** So many fit into a list that one chooses from. */
export const mostChoices = 200

/** Applications of the tenant by name, for choosing one. */
export async function ownApplications(context: PortalContext): Promise<{ applicationId: string; name: string }[]> {
  const { value } = await context.api<{ value: { applicationId: string; name: string }[] }>(
    'GET',
    `/applications?$top=${mostChoices}`,
  )
  return value
}
