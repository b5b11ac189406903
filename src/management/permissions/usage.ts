// What applications use: their calls by day or route, and their permissions against what they need. Counted off the way
// of requests (access/usage.ts), so an answer is as old as the time between two flushes.

import type { FastifyInstance } from 'fastify'
import { removeUnusedPermissions } from '../../directory/permissions/unused-removal.js'
import { DirectoryRefusal } from '../../directory/refusal.js'
import { parseGuid } from '../../oauth/secrets/guid.js'
import { type Caller, callerOf, requires } from '../access/access.js'
import { installableApplicationId, ownApplicationId, ownTenantId } from '../access/ownership.js'
import { readApplicationAnswer } from '../applications/application-answer.js'
import { changeWrites } from '../applications/change-request.js'
import type { ManagementDependencies } from '../dependencies.js'
import { answers } from '../schemas.js'
import { dailyUsage } from './daily-usage.js'
import { permissionRefs } from './permission-input.js'
import { measuring, permissionUseAnswer } from './permission-use-answer.js'
import { recentUsage } from './recent-usage.js'
import {
  type PermissionUseQuery,
  permissionUseQuery,
  type RemoveUnusedBody,
  removeUnusedBody,
  type UsageAnswer,
  type UsageQuery,
  usageAnswers,
  usageQuery,
} from './usage-schemas.js'

/** `GET /usage`, `GET /applications/{id}/permissionUse`, `POST /applications/{id}/removeUnused`. */
export function usageRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  const measures = measuring(deps)
  app.get<{ Querystring: UsageQuery }>(
    '/usage',
    {
      config: requires('Usage.Read.All', 'self'),
      schema: { querystring: usageQuery, response: { 200: usageAnswers.usage } },
    },
    async (request) => usage(deps, callerOf(request), request.query),
  )
  app.get<{ Params: { id: string }; Querystring: PermissionUseQuery }>(
    '/applications/:id/permissionUse',
    {
      config: requires('Usage.Read.All'),
      schema: { querystring: permissionUseQuery, response: { 200: usageAnswers.permissionUse } },
    },
    async (request) => {
      const caller = callerOf(request)
      const applicationId = await installableApplicationId(deps.store, caller, request.params.id)
      return permissionUseAnswer(deps, measures, {
        applicationId,
        tenantId: ownTenantId(caller, request.query.tenantId),
      })
    },
  )
  app.post<{ Params: { id: string }; Body: RemoveUnusedBody }>(
    '/applications/:id/removeUnused',
    {
      config: requires('Application.ReadWrite.All'),
      schema: { body: removeUnusedBody, response: { 200: answers.application } },
    },
    async (request) => {
      const { params, body } = request
      const applicationId = await ownApplicationId(deps.store, callerOf(request), params.id)
      // What this instance has counted and not written is a use too.
      await deps.usage.flush()
      const permissions = permissionRefs(deps.settings.catalogue, body.permissions)
      await removeUnusedPermissions(await changeWrites(deps, request, applicationId), applicationId, {
        ...measures,
        permissions,
      })
      return readApplicationAnswer(deps, applicationId, callerOf(request))
    },
  )
}

/**
 * An application sees itself; a caller that may read usage sees the applications of their tenant, and those installed
 * there.
 */
async function usage(deps: ManagementDependencies, caller: Caller, query: UsageQuery): Promise<UsageAnswer> {
  const about = {
    applicationId: await whichApplication(deps, caller, query.applicationId),
    tenantId: tenantOf(caller, query.tenantId),
    route: query.route,
  }
  return query.last === undefined
    ? dailyUsage(deps, about, query)
    : recentUsage(deps, about, { ...query, last: query.last })
}

/** Undefined: all of the tenant. An application that is given by its name is one of the tenant's own. */
async function whichApplication(
  { store, settings }: ManagementDependencies,
  caller: Caller,
  requested: string | undefined,
): Promise<string | undefined> {
  const itself = onlyItself(settings, caller)
  if (itself !== undefined) {
    const { applicationId } = itself
    if (requested === undefined || parseGuid(requested) === applicationId) return applicationId
    throw new DirectoryRefusal('ApplicationNotFound', 'There is no such application.', 'applicationId')
  }
  return requested === undefined ? undefined : installableApplicationId(store, caller, requested)
}

/** An application without the permission: access.ts let it in for what is its own. */
function onlyItself({ catalogue }: ManagementDependencies['settings'], caller: Caller) {
  if (caller.kind === 'local' || caller.principal.kind !== 'application') return undefined
  const { principal } = caller
  const enough = catalogue.satisfying('application', catalogue.own.id, 'Usage.Read.All')
  return enough.some((id) => principal.permissions.has(id)) ? undefined : principal
}

function tenantOf(caller: Caller, requested: string | undefined): string | undefined {
  const tenantId = ownTenantId(caller, requested)
  if (tenantId === undefined || parseGuid(tenantId) !== undefined) return tenantId?.toLowerCase()
  throw new DirectoryRefusal('TenantNotFound', 'There is no such tenant.', 'tenantId')
}
