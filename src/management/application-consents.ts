// What an application may ask for, and what an administrator allowed it in a tenant.

import type { FastifyInstance } from 'fastify'
import { configurePermissions, grantConsent } from '../directory/permissions.js'
import { withdrawTenantConsent } from '../identity/consent/withdraw.js'
import { readApplicationAnswer } from './application-answer.js'
import { requireApplicationId } from './application-reference.js'
import type { ManagementDependencies } from './dependencies.js'
import { writesOf } from './origin.js'
import { permissionRefs } from './permission-input.js'
import { answers, type Body, bodies } from './schemas.js'

/** `PUT …/permissions`, `POST …/consents`, `DELETE …/consents/{tenantId}`; each answers the application or nothing. */
export function consentRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  const { catalogue } = deps.settings
  app.put<{ Params: { id: string }; Body: Body<'configurePermissions'> }>(
    '/applications/:id/permissions',
    { schema: { body: bodies.configurePermissions, response: { 200: answers.application } } },
    async (request) => {
      const { params, body } = request
      const applicationId = await requireApplicationId(deps.store, params.id)
      await configurePermissions(writesOf(deps, request), applicationId, permissionRefs(catalogue, body.permissions))
      return readApplicationAnswer(deps.store, applicationId)
    },
  )
  app.post<{ Params: { id: string }; Body: Body<'grantConsent'> }>(
    '/applications/:id/consents',
    { schema: { body: bodies.grantConsent, response: { 200: answers.application } } },
    async (request) => {
      const { params, body } = request
      const applicationId = await requireApplicationId(deps.store, params.id)
      const { tenantId, permissions: asked = 'all' } = body
      const permissions = asked === 'all' ? asked : permissionRefs(catalogue, asked)
      await grantConsent(writesOf(deps, request), applicationId, { tenantId, permissions, by: 'local' })
      return readApplicationAnswer(deps.store, applicationId)
    },
  )
  app.delete<{ Params: { id: string; tenantId: string } }>(
    '/applications/:id/consents/:tenantId',
    async (request, reply) => {
      const { params } = request
      const applicationId = await requireApplicationId(deps.store, params.id)
      const { tenantId } = params
      await withdrawTenantConsent(writesOf(deps, request), applicationId, { tenantId, permissions: 'all' })
      return reply.code(204).send()
    },
  )
}
