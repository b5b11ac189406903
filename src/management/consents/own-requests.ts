// A person's own requests for consent, whatever application they are about: listing them, and taking back what waits. So
// members do it too, who look after no application, and about applications of other tenants.

import type { FastifyInstance } from 'fastify'
import { listRequests, requireConsentRequest } from '../../directory/consents/consent-requests.js'
import { withdrawRequest } from '../../directory/consents/request-withdrawal.js'
import { ApiError } from '../../http/answers/api-error.js'
import { commandLineClient } from '../../oauth/command-line-client.js'
import { type Caller, callerOf, requires } from '../access/access.js'
import { writesOf } from '../access/origin.js'
import type { ManagementDependencies } from '../dependencies.js'
import { consentAnswers } from './consent-schemas.js'
import { requestAnswer } from './request-answer.js'

/** Every member of a tenant has it; that the caller is the person themselves is checked besides. */
const ofMembers = 'Tenant.Read.All'

/** `GET /consentRequests/own`, `DELETE /consentRequests/{id}`. */
export function ownRequestRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  app.get(
    '/consentRequests/own',
    { config: requires(ofMembers), schema: { response: { 200: consentAnswers.requests } } },
    async (request) => {
      const { userId, tenantId } = themselves(callerOf(request))
      const own = await listRequests(deps.store.reader, { requestedBy: userId, tenantIds: [tenantId] })
      return { value: own.map(requestAnswer) }
    },
  )
  app.delete<{ Params: { id: string } }>(
    '/consentRequests/:id',
    { config: requires(ofMembers) },
    async (request, reply) => {
      const { userId: by, tenantId } = themselves(callerOf(request))
      const { requestId, applicationId } = await requireConsentRequest(deps.store.reader, request.params.id)
      await withdrawRequest(writesOf(deps, request), requestId, { applicationId, tenantId, by })
      return reply.code(204).send()
    },
  )
}

/** The person at the portal or the command line; no application does it in their name. Throws ApiError 403. */
function themselves(caller: Caller): { userId: string; tenantId: string } {
  if (caller.kind === 'member' && caller.person !== undefined) {
    const { principal, person, tenantId } = caller
    const isOwnHand = principal.kind === 'session' || principal.applicationId === commandLineClient.applicationId
    if (isOwnHand) return { userId: person.userId, tenantId }
  }
  const message =
    'This is for the person who requested it, at the portal or the command line. Administrators decline it.'
  throw new ApiError(403, 'PersonRequired', message)
}
