// Signing keys: which there are, a successor for each, and away with one that leaked.

import type { FastifyInstance } from 'fastify'
import { ApiError } from '../../http/answers/api-error.js'
import { removeKey, rotateKeys } from '../../tokens/keys/key-lifecycle.js'
import type { KeyDescription } from '../../tokens/keys/keys.js'
import { requires } from '../access/access.js'
import { keysOf } from '../access/origin.js'
import type { ManagementDependencies } from '../dependencies.js'
import { type Answer, answers, type Body, bodies } from '../schemas.js'

/** A key id is a thumbprint: RFC 7638. */
const keyId = /^[A-Za-z0-9_-]{43}$/

/** `GET /keys`, `POST /keys/rotate`, `DELETE /keys/{kid}`. */
export function keyRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  const keysAnswer = (): Answer<'keys'> => ({ value: deps.keyring.describe().map(keyAnswer) })
  app.get(
    '/keys',
    { config: requires('Server.Read', 'operator'), schema: { response: { 200: answers.keys } } },
    async () => keysAnswer(),
  )
  app.post<{ Body: Body<'rotateKeys'> }>(
    '/keys/rotate',
    {
      config: requires('Server.ReadWrite', 'operator'),
      schema: { body: bodies.rotateKeys, response: { 200: answers.keys } },
    },
    async (request) => {
      await rotateKeys(keysOf(deps, request), request.body)
      return keysAnswer()
    },
  )
  app.delete<{ Params: { kid: string } }>(
    '/keys/:kid',
    { config: requires('Server.ReadWrite', 'operator') },
    async (request, reply) => {
      const { kid } = request.params
      const removed = keyId.test(kid) && (await removeKey(keysOf(deps, request), kid))
      if (!removed) throw new ApiError(404, 'KeyNotFound', 'There is no such key in the set.')
      return reply.code(204).send()
    },
  )
}

function keyAnswer(key: KeyDescription): Answer<'keys'>['value'][number] {
  const { kid, purpose, alg, state } = key
  const time = (ms: number) => new Date(ms).toISOString()
  return {
    kid,
    purpose,
    alg,
    state,
    createdAt: time(key.createdAt),
    activatesAt: time(key.activatesAt),
    removesAt: key.removesAt === null ? null : time(key.removesAt),
  }
}
