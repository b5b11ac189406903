// Whose tokens an application accepts as proof of itself, instead of a secret (decision 0061): list, add, remove.
// The holder of a token that one accepts is that application, so adding one asks what adding a secret asks.

import type { FastifyInstance } from 'fastify'
import { addFederatedCredential, removeFederatedCredential } from '../../directory/credentials/federated-credentials.js'
import type { FederatedCredential } from '../../directory/records.js'
import { toFederatedCredential } from '../../directory/rows.js'
import { ApiError } from '../../http/answers/api-error.js'
import { readFederatedCredentials } from '../../storage/sql/registrations/federated-credentials.js'
import { callerOf, requires } from '../access/access.js'
import { ownApplicationId } from '../access/ownership.js'
import type { ManagementDependencies } from '../dependencies.js'
import { checkMayEquip } from './ceiling.js'
import { changeWrites } from './change-request.js'
import { type ClientAnswer, type ClientBody, clientAnswers, clientBodies } from './client-schemas.js'

/**
 * `GET|POST /applications/{id}/federatedCredentials`, `DELETE /applications/{id}/federatedCredentials/{credentialId}`.
 */
export function federatedCredentialRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  const path = '/applications/:id/federatedCredentials'
  app.get<{ Params: { id: string } }>(
    path,
    { config: requires('Application.Read.All'), schema: { response: { 200: clientAnswers.federatedCredentials } } },
    async (request) => {
      const applicationId = await ownApplicationId(deps.store, callerOf(request), request.params.id)
      const rows = await readFederatedCredentials(deps.store.reader, applicationId)
      return { value: rows.map(toFederatedCredential).map(answerOf) }
    },
  )
  app.post<{ Params: { id: string }; Body: ClientBody<'addFederatedCredential'> }>(
    path,
    {
      config: requires('Application.ReadWrite.All'),
      schema: { body: clientBodies.addFederatedCredential, response: { 201: clientAnswers.federatedCredential } },
    },
    async (request, reply) => {
      const { params, body } = request
      const applicationId = await ownApplicationId(deps.store, callerOf(request), params.id)
      if (body.jwks === undefined && !deps.settings.federation.fetch) {
        const message = 'This server asks no issuer for its keys: send them as jwks.'
        throw new ApiError(400, 'KeysNeeded', message, { target: 'jwks' })
      }
      const writes = await changeWrites(deps, request, applicationId, checkMayEquip)
      const added = await addFederatedCredential(writes, applicationId, body)
      reply.code(201).header('location', `/api/v2/applications/${applicationId}/federatedCredentials/${added.id}`)
      return answerOf(added)
    },
  )
  app.delete<{ Params: { id: string; credentialId: string } }>(
    `${path}/:credentialId`,
    { config: requires('Application.ReadWrite.All') },
    async (request, reply) => {
      const { id, credentialId } = request.params
      const applicationId = await ownApplicationId(deps.store, callerOf(request), id)
      await removeFederatedCredential(await changeWrites(deps, request, applicationId), {
        applicationId,
        id: credentialId,
      })
      return reply.code(204).send()
    },
  )
}

function answerOf(credential: FederatedCredential): ClientAnswer<'federatedCredential'> {
  const { jwks, createdAt, lastUsedAt, ...rest } = credential
  // The set was rebuilt from public members when it was stored (directory/credentials/client-keys.ts).
  const keys = jwks?.keys.map((key) => Object.fromEntries(Object.entries(key).map(([k, v]) => [k, String(v)])))
  return {
    ...rest,
    jwks: keys === undefined ? null : { keys },
    createdAt: new Date(createdAt).toISOString(),
    lastUsedAt: lastUsedAt === null ? null : new Date(lastUsedAt).toISOString(),
  }
}
