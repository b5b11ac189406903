// The addresses of registration by standard: JSON in and JSON out, never cached, for no browser of another origin,
// counted per address before anything is read.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { requestContext } from '../../http/requests/request-context.js'
import { errorNumber } from '../../oauth/errors/error-numbers.js'
import { OAuthError } from '../../oauth/errors/errors.js'
import { checkNoSecretsInQuery } from '../../oauth/requests/parameters.js'
import { bodyText, keepBodiesAsBytes } from '../../web/form-body.js'
import { refuseOtherMethods } from '../../web/other-methods.js'
import type { IdentityDependencies } from '../dependencies.js'
import { chargeAddress } from '../limits.js'
import { endpointPaths } from '../metadata/metadata.js'
import { ClientInformation } from './client-information.js'
import { deleteClient, putClient, readClient } from './manage-client.js'
import { isOpenRegistration, registerOpenly } from './open-registration.js'
import { badMetadata } from './refusals.js'
import { answerRegistration } from './register-client.js'

const routeId = 'register'
/** The type alone or with charset=utf-8; anything that only looks like it is another type. */
const jsonType = /^application\/json(?:[ \t]*;[ \t]*charset=(?:utf-8|"utf-8"))?[ \t]*$/i

type One = { Params: { clientId: string } }

/** Registers the endpoints on a scope of their own. */
export function registerRegistration(scope: FastifyInstance, deps: IdentityDependencies): void {
  keepBodiesAsBytes(scope)
  const bodyLimit = deps.settings.server.tokenBodyBytes
  const begin = async (request: FastifyRequest, reply: FastifyReply) => {
    const facts = requestContext(request)
    facts.entry.route = routeId
    reply.header('cache-control', 'no-store').header('pragma', 'no-cache').header('x-content-type-options', 'nosniff')
    await chargeAddress(deps, request, reply)
    checkNoSecretsInQuery(facts.target.ok ? facts.target.query : undefined)
    if (request.method === 'POST' || request.method === 'PUT') checkJson(request)
  }
  const answers = (status: number) => ({
    bodyLimit,
    onRequest: begin,
    schema: { response: { [status]: ClientInformation } },
  })
  const all = endpointPaths.register
  scope.post(all, answers(201), async (request, reply) => {
    reply.code(201)
    const readMembers = () => membersOf(request.body)
    if (isOpenRegistration(deps, request)) return registerOpenly(deps, request, readMembers)
    return answerRegistration(deps, request, readMembers)
  })
  refuseOtherMethods(scope, all, routeId, ['POST'])
  const one = `${all}/:clientId`
  scope.get<One>(one, answers(200), async (request) => readClient(deps, request.params.clientId, request))
  scope.put<One>(one, answers(200), async (request) =>
    putClient(deps, request.params.clientId, request, () => membersOf(request.body)),
  )
  scope.delete<One>(one, { bodyLimit, onRequest: begin }, async (request, reply) => {
    await deleteClient(deps, request.params.clientId, request)
    return reply.code(204).send()
  })
  refuseOtherMethods(scope, one, routeId, ['GET', 'HEAD', 'PUT', 'DELETE'])
}

/** Throws OAuthError 415. */
function checkJson(request: FastifyRequest): void {
  if (jsonType.test(request.headers['content-type'] ?? '')) return
  throw new OAuthError('invalid_client_metadata', 'The body must be application/json.', {
    number: errorNumber.clientMetadata,
    status: 415,
  })
}

/** The members of a JSON object. Throws OAuthError. */
function membersOf(body: unknown): Record<string, unknown> {
  const text = bodyText(body)
  if (text === undefined) throw badMetadata('The body is not UTF-8.')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw badMetadata('The body is not JSON.', cause)
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw badMetadata('The body is a JSON object with the members of a client.')
}
