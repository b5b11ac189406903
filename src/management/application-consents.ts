// What an application may ask for, and what an administrator allowed it in a tenant.

import type { FastifyInstance } from 'fastify'
import { configurePermissions, grantConsent, withdrawConsent } from '../directory/permissions.js'
import { readApplicationAnswer } from './application-answer.js'
import { requireApplicationId } from './application-reference.js'
import type { ManagementDependencies } from './dependencies.js'
import { permissionRefs } from './permission-input.js'
import { answers, type Body, bodies } from './schemas.js'

/** `PUT …/permissions`, `POST …/consents`, `DELETE …/consents/{tenantId}`; each answers the application or nothing. */
export function consentRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  const { catalogue } = deps.settings
  app.put<{ Params: { id: string }; Body: Body<'configurePermissions'> }>(
    '/applications/:id/permissions',
    { schema: { body: bodies.configurePermissions, response: { 200: answers.application } } },
    async ({ params, body }) => {
      const applicationId = await requireApplicationId(deps.store, params.id)
      await configurePermissions(deps.writes, applicationId, permissionRefs(catalogue, body.permissions))
      return readApplicationAnswer(deps.store, applicationId)
    },
  )
  app.post<{ Params: { id: string }; Body: Body<'grantConsent'> }>(
    '/applications/:id/consents',
    { schema: { body: bodies.grantConsent, response: { 200: answers.application } } },
    async ({ params, body }) => {
      const applicationId = await requireApplicationId(deps.store, params.id)
      const { tenantId, permissions: asked = 'all' } = body
      const permissions = asked === 'all' ? asked : permissionRefs(catalogue, asked)
      await grantConsent(deps.writes, applicationId, { tenantId, permissions, by: 'local' })
      return readApplicationAnswer(deps.store, applicationId)
    },
  )
  app.delete<{ Params: { id: string; tenantId: string } }>(
    '/applications/:id/consents/:tenantId',
    async ({ params }, reply) => {
      const applicationId = await requireApplicationId(deps.store, params.id)
      await withdrawConsent(deps.writes, applicationId, { tenantId: params.tenantId, permissions: 'all' })
      return reply.code(204).send()
    },
  )
}
