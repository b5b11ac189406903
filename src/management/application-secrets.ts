// Client secrets of an application, and the operator's own way to a token of it.

import type { FastifyInstance } from 'fastify'
import type { NewSecret } from '../directory/new-secret.js'
import { addSecret, endSecret, rotateSecret } from '../directory/secrets.js'
import type { DirectoryWrites } from '../directory/writes.js'
import { ApiError } from '../http/api-error.js'
import { account } from '../ledger/account.js'
import { callerOf, takes } from './access.js'
import type { ManagementDependencies } from './dependencies.js'
import { checkMayEquip } from './entitlement.js'
import { writesOf } from './origin.js'
import { ownApplicationId } from './ownership.js'
import { type Answer, answers, type Body, bodies } from './schemas.js'

const dayMs = 86_400_000
const defaultDays = 180

/** `POST /applications/{id}/secrets`, `DELETE /applications/{id}/secrets/{keyId}`, `POST /applications/{id}/token`. */
export function secretRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  app.post<{ Params: { id: string }; Body: Body<'addSecret'> }>(
    '/applications/:id/secrets',
    {
      config: takes('Application.ReadWrite.All'),
      schema: { body: bodies.addSecret, response: { 201: answers.addedSecret } },
    },
    async (request, reply) => {
      const { params, body } = request
      const applicationId = await ownApplicationId(deps.store, callerOf(request), params.id)
      await checkMayEquip(deps, callerOf(request), applicationId)
      const added = await addOrRotate(writesOf(deps, request), applicationId, body)
      reply.code(201)
      return secretAnswer(added)
    },
  )
  app.delete<{ Params: { id: string; keyId: string } }>(
    '/applications/:id/secrets/:keyId',
    { config: takes('Application.ReadWrite.All') },
    async (request, reply) => {
      const { params } = request
      const applicationId = await ownApplicationId(deps.store, callerOf(request), params.id)
      await endSecret(writesOf(deps, request), { applicationId, keyId: params.keyId })
      return reply.code(204).send()
    },
  )
  app.post<{ Params: { id: string }; Body: Body<'issueToken'> }>(
    '/applications/:id/token',
    {
      config: takes('Application.ReadWrite.All', 'local'),
      schema: { body: bodies.issueToken, response: { 200: answers.token } },
    },
    async (request) => {
      const { params, body } = request
      const applicationId = await ownApplicationId(deps.store, callerOf(request), params.id)
      const token = await deps.issueForOperator({ applicationId, ...body })
      // Nobody consented to the operator having it, so it is not handed out before that is written down.
      const event = { event: 'token.issued-to-operator', applicationId, tenantId: body.tenantId } as const
      const writes = writesOf(deps, request)
      await deps.store.transaction((tx) => account(writes, tx, event), 'first-lock')
      return token
    },
  )
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
