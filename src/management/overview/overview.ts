// The numbers of the first page: what waits in a tenant, and how the server did lately. Calls of applications are
// `GET /usage`, the state of an instance is `GET /status`.

import type { FastifyInstance } from 'fastify'
import { type Caller, callerOf, requires } from '../access/access.js'
import { ownTenantId } from '../access/ownership.js'
import type { ManagementDependencies } from '../dependencies.js'
import { applicationLines } from './application-lines.js'
import {
  type LinesQuery,
  overviewAnswers,
  overviewQueries,
  type ServerQuery,
  type SignInQuery,
  type TenantQuery,
} from './overview-schemas.js'
import { serverOverview } from './server-overview.js'
import { applicationOverview, peopleOverview, signInOverview, unusedOverview } from './tenant-overview.js'

/** `GET /overview/applications/lines`, `GET /overview/applications|people|signIns|unusedPermissions|server`. */
export function overviewRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  app.get<{ Querystring: TenantQuery }>(
    '/overview/applications',
    {
      config: requires('Application.Read.All'),
      schema: { querystring: overviewQueries.tenant, response: { 200: overviewAnswers.applications } },
    },
    async (request) => {
      const caller = callerOf(request)
      const tenantId = tenantOf(caller, request.query.tenantId)
      return applicationOverview(deps, { tenantId, ownerId: idOf(caller) })
    },
  )
  app.get<{ Querystring: LinesQuery }>(
    '/overview/applications/lines',
    {
      config: requires('Application.Read.All'),
      schema: { querystring: overviewQueries.lines, response: { 200: overviewAnswers.applicationLines } },
    },
    async (request) => {
      const tenantId = tenantOf(callerOf(request), request.query.tenantId)
      return applicationLines(deps, { ...request.query, tenantId })
    },
  )
  app.get<{ Querystring: TenantQuery }>(
    '/overview/unusedPermissions',
    {
      config: requires('Usage.Read.All'),
      schema: { querystring: overviewQueries.tenant, response: { 200: overviewAnswers.unusedPermissions } },
    },
    async (request) => unusedOverview(deps, { tenantId: tenantOf(callerOf(request), request.query.tenantId) }),
  )
  app.get<{ Querystring: TenantQuery }>(
    '/overview/people',
    {
      config: requires('Member.Read.All'),
      schema: { querystring: overviewQueries.tenant, response: { 200: overviewAnswers.people } },
    },
    async (request) => peopleOverview(deps, { tenantId: tenantOf(callerOf(request), request.query.tenantId) }),
  )
  app.get<{ Querystring: SignInQuery }>(
    '/overview/signIns',
    {
      config: requires('AuditLog.Read.All'),
      schema: { querystring: overviewQueries.signIns, response: { 200: overviewAnswers.signIns } },
    },
    async (request) => {
      const { tenantId, last = '24h' } = request.query
      return signInOverview(deps, { tenantId: tenantOf(callerOf(request), tenantId), last })
    },
  )
  app.get<{ Querystring: ServerQuery }>(
    '/overview/server',
    {
      config: requires('Server.Read', 'operator'),
      schema: { querystring: overviewQueries.server, response: { 200: overviewAnswers.server } },
    },
    async ({ query }) => serverOverview(deps, query.last ?? '24h'),
  )
}

function tenantOf(caller: Caller, requested: string | undefined): string | undefined {
  return ownTenantId(caller, requested)?.toLowerCase()
}

/** By which somebody is an owner of applications; undefined for the local socket. */
function idOf(caller: Caller): string | undefined {
  if (caller.kind === 'local') return undefined
  if (caller.person !== undefined) return caller.person.userId
  return caller.principal.kind === 'application' ? caller.principal.applicationId : undefined
}
