// Client secrets of an application, and beside them the way to a token of it without one.

import type { FastifyInstance } from 'fastify'
import type { NewSecret } from '../../directory/credentials/new-secret.js'
import { addSecret, endSecret, rotateSecret } from '../../directory/credentials/secrets.js'
import type { DirectoryWrites } from '../../directory/writes.js'
import { ApiError } from '../../http/answers/api-error.js'
import { callerOf, requires } from '../access/access.js'
import { ownApplicationId } from '../access/ownership.js'
import type { ManagementDependencies } from '../dependencies.js'
import { type Answer, answers, type Body, bodies } from '../schemas.js'
import { applicationTokenRoute } from './application-token.js'
import { checkMayEquip } from './ceiling.js'
import { changeWrites } from './change-request.js'

const dayMs = 86_400_000
const defaultDays = 180

/**
 * `POST /applications/{id}/secrets`, `DELETE /applications/{id}/secrets/{keyId}`; and `POST /applications/{id}/token`.
 */
export function secretRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  app.post<{ Params: { id: string }; Body: Body<'addSecret'> }>(
    '/applications/:id/secrets',
    {
      config: requires('Application.ReadWrite.All'),
      schema: { body: bodies.addSecret, response: { 201: answers.addedSecret } },
    },
    async (request, reply) => {
      const { params, body } = request
      const applicationId = await ownApplicationId(deps.store, callerOf(request), params.id)
      const added = await addOrRotate(
        await changeWrites(deps, request, applicationId, checkMayEquip),
        applicationId,
        body,
      )
      reply.code(201)
      return secretAnswer(added)
    },
  )
  app.delete<{ Params: { id: string; keyId: string } }>(
    '/applications/:id/secrets/:keyId',
    { config: requires('Application.ReadWrite.All') },
    async (request, reply) => {
      const { params } = request
      const applicationId = await ownApplicationId(deps.store, callerOf(request), params.id)
      await endSecret(await changeWrites(deps, request, applicationId), { applicationId, keyId: params.keyId })
      return reply.code(204).send()
    },
  )
  applicationTokenRoute(app, deps)
}

async function addOrRotate(
  writes: DirectoryWrites,
  applicationId: string,
  body: Body<'addSecret'>,
): Promise<NewSecret> {
  const { label = 'secret', expiresInDays = defaultDays, rotate = false, overlapSeconds } = body
  const lifetimeMs = expiresInDays * dayMs
  if (rotate) {
    return rotateSecret(writes, applicationId, { label, lifetimeMs, overlapMs: (overlapSeconds ?? 0) * 1000 })
  }
  if (overlapSeconds !== undefined) {
    throw new ApiError(400, 'InvalidRequest', 'overlapSeconds goes with rotate.', { target: 'overlapSeconds' })
  }
  return addSecret(writes, applicationId, { label, lifetimeMs })
}

function secretAnswer({ keyId, secret, endsAt }: NewSecret): Answer<'addedSecret'> {
  return { keyId, clientSecret: secret, endsAt: new Date(endsAt).toISOString() }
}
