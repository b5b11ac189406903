// Redirect origins that came after a registration, for administrators to look at (contract §8, decision 84).

import type { FastifyInstance } from 'fastify'
import { dismissNewOrigins, listNewOrigins, type NewOrigin } from '../../directory/applications/new-origins.js'
import { DirectoryRefusal } from '../../directory/refusal.js'
import { ApiError } from '../../http/answers/api-error.js'
import { callerOf, requires } from '../access/access.js'
import { writesOf } from '../access/origin.js'
import { ownApplicationId } from '../access/ownership.js'
import type { ManagementDependencies } from '../dependencies.js'
import { requireOwnTenant } from '../people/tenant-of-path.js'
import { type ClientAnswer, clientAnswers, clientQueries } from './client-schemas.js'

/** `GET|DELETE /applications/{id}/newRedirectOrigins`, `GET /tenants/{id}/newRedirectOrigins`. */
export function newOriginRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  const path = '/applications/:id/newRedirectOrigins'
  const schema = { response: { 200: clientAnswers.newOrigins } }
  app.get<{ Params: { id: string } }>(path, { config: requires('Application.Read.All'), schema }, async (request) => {
    const applicationId = await ownApplicationId(deps.store, callerOf(request), request.params.id)
    return { value: (await listNewOrigins(deps.store.reader, { applicationId })).map(answerOf) }
  })
  app.get<{ Params: { id: string } }>(
    '/tenants/:id/newRedirectOrigins',
    { config: requires('Application.Read.All'), schema },
    async (request) => {
      const tenantId = requireOwnTenant(callerOf(request), request.params.id)
      if ((await deps.directory.findTenant(tenantId)) === undefined) {
        throw new DirectoryRefusal('TenantNotFound', 'There is no such tenant.')
      }
      return { value: (await listNewOrigins(deps.store.reader, { tenantId })).map(answerOf) }
    },
  )
  // Those who consent for a tenant say what of it was looked at: an owner of the application may be who should not
  // have added it.
  app.delete<{ Params: { id: string }; Querystring: { until: string } }>(
    path,
    { config: requires('Consent.ReadWrite.All'), schema: { querystring: clientQueries.dismissNewOrigins } },
    async (request, reply) => {
      const applicationId = await ownApplicationId(deps.store, callerOf(request), request.params.id)
      const until = Date.parse(request.query.until)
      if (Number.isNaN(until)) {
        throw new ApiError(400, 'InvalidRequest', 'until is a time (RFC 3339).', { target: 'until' })
      }
      await dismissNewOrigins(writesOf(deps, request), applicationId, until)
      return reply.code(204).send()
    },
  )
}

function answerOf({ addedAt, ...rest }: NewOrigin): ClientAnswer<'newOrigins'>['value'][number] {
  return { ...rest, addedAt: new Date(addedAt).toISOString() }
}
