// What an application may ask for, and what an administrator allowed it in a tenant.

import type { FastifyInstance } from 'fastify'
import { withdrawTenantConsent } from '../../directory/consents/withdrawal.js'
import { configurePermissions, grantConsent } from '../../directory/permissions/permissions.js'
import { callerOf, requires } from '../access/access.js'
import { writesOf } from '../access/origin.js'
import { ownApplicationId, ownTenantId } from '../access/ownership.js'
import { readApplicationAnswer } from '../applications/application-answer.js'
import { applicationWrites } from '../applications/application-writes.js'
import { checkMayConfigure } from '../applications/ceiling.js'
import { changeWrites } from '../applications/change-request.js'
import type { ManagementDependencies } from '../dependencies.js'
import { permissionRefs } from '../permissions/permission-input.js'
import { answers, type Body, bodies } from '../schemas.js'
import { consentOf } from './entitlement.js'

/** `PUT …/permissions`, `POST …/consents`, `DELETE …/consents/{tenantId}`; each answers the application or nothing. */
export function consentRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  const { catalogue } = deps.settings
  app.put<{ Params: { id: string }; Body: Body<'configurePermissions'> }>(
    '/applications/:id/permissions',
    {
      config: requires('Application.ReadWrite.All'),
      schema: { body: bodies.configurePermissions, response: { 200: answers.application } },
    },
    async (request) => {
      const { params, body } = request
      const applicationId = await ownApplicationId(deps.store, callerOf(request), params.id)
      const permissions = permissionRefs(catalogue, body.permissions)
      const writes = await changeWrites(deps, request, applicationId, (change) =>
        checkMayConfigure(change, permissions),
      )
      await configurePermissions(writes, applicationId, permissions)
      return readApplicationAnswer(deps, applicationId, callerOf(request))
    },
  )
  app.post<{ Params: { id: string }; Body: Body<'grantConsent'> }>(
    '/applications/:id/consents',
    {
      config: requires('Consent.ReadWrite.All'),
      schema: { body: bodies.grantConsent, response: { 200: answers.application } },
    },
    async (request) => {
      const { params, body } = request
      const applicationId = await ownApplicationId(deps.store, callerOf(request), params.id)
      const { tenantId, permissions: requested = 'all' } = body
      const permissions = requested === 'all' ? requested : permissionRefs(catalogue, requested)
      const caller = callerOf(request)
      const by = consentOf(deps, caller)
      const consent = { tenantId: ownTenantId(caller, tenantId), permissions, ...by }
      await grantConsent(applicationWrites(deps, request, applicationId), applicationId, consent)
      return readApplicationAnswer(deps, applicationId, caller)
    },
  )
  app.delete<{ Params: { id: string; tenantId: string } }>(
    '/applications/:id/consents/:tenantId',
    { config: requires('Consent.ReadWrite.All') },
    async (request, reply) => {
      const { params } = request
      const applicationId = await ownApplicationId(deps.store, callerOf(request), params.id)
      const tenantId = ownTenantId(callerOf(request), params.tenantId) ?? params.tenantId
      await withdrawTenantConsent(writesOf(deps, request), applicationId, { tenantId, permissions: 'all' })
      return reply.code(204).send()
    },
  )
}
