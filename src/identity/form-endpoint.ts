// What the token, revocation and introspection endpoints have in common: POST only, form-encoded only, nothing secret in
// the URL, never cached, counted per address before anything is read. No endpoint can forget it, because this registers it.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { requestContext } from '../http/request-context.js'
import { errorNumber } from '../oauth/error-numbers.js'
import { OAuthError } from '../oauth/errors.js'
import { checkNoSecretsInQuery, type RequestParameters, readParameters } from '../oauth/parameters.js'
import { registerPreflight, varyByOrigin } from './cors.js'
import type { IdentityDependencies } from './dependencies.js'
import { bodyText, isFormContentType } from './form-body.js'
import { chargeAddress } from './limits.js'

export interface FormEndpoint {
  /** The route's id in logs, metrics and limits; one for all spellings of its path. */
  routeId: string
  paths: readonly string[]
  /** JSON Schema of the 200 answer: its fields are an allow-list. Absent: the answer has no body. */
  answer?: object
  /** Browser applications may call it from their own origin; see cors.ts. */
  isForBrowsers?: boolean
  handle: (parameters: RequestParameters, request: FastifyRequest, reply: FastifyReply) => Promise<object | undefined>
}

/** Registers an endpoint on a scope that keeps bodies as bytes. */
export function registerFormEndpoint(scope: FastifyInstance, deps: IdentityDependencies, endpoint: FormEndpoint): void {
  const { routeId, handle, isForBrowsers = false } = endpoint
  for (const url of endpoint.paths) {
    scope.route({
      method: 'POST',
      url,
      bodyLimit: deps.settings.server.tokenBodyBytes,
      ...(endpoint.answer === undefined ? {} : { schema: { response: { 200: endpoint.answer } } }),
      onRequest: async (request, reply) => {
        begin(request, reply, routeId)
        if (isForBrowsers) varyByOrigin(reply)
        await chargeAddress(deps, request, reply)
        checkHead(request)
      },
      handler: async (request, reply) => {
        const answer = await handle(requireParameters(request.body), request, reply)
        return answer === undefined ? reply.code(200).send() : reply.type('application/json;charset=UTF-8').send(answer)
      },
    })
    if (isForBrowsers) registerPreflight(scope, deps, { path: url, routeId, methods: 'POST' })
    refuseOtherMethods(scope, url, routeId, isForBrowsers ? ['POST', 'OPTIONS'] : ['POST'])
  }
}

/** Answers every other method with 405 and Allow, before a body is read. */
export function refuseOtherMethods(
  scope: FastifyInstance,
  url: string,
  routeId: string,
  allowed: readonly string[],
): void {
  const method = scope.supportedMethods.filter((name) => !allowed.includes(name))
  const refuse = async (request: FastifyRequest, reply: FastifyReply) => {
    begin(request, reply, routeId)
    throw new OAuthError('invalid_request', `This endpoint accepts ${allowed.join(', ')} only.`, {
      number: errorNumber.wrongMethod,
      status: 405,
      headers: [['allow', allowed.join(', ')]],
    })
  }
  scope.route({ method, url, onRequest: refuse, handler: refuse })
}

function begin(request: FastifyRequest, reply: FastifyReply, routeId: string): void {
  requestContext(request).route = routeId
  reply.header('cache-control', 'no-store').header('pragma', 'no-cache').header('x-content-type-options', 'nosniff')
}

function checkHead(request: FastifyRequest): void {
  const { target } = requestContext(request)
  checkNoSecretsInQuery(target.ok ? target.query : undefined)
  if (isFormContentType(request.headers['content-type'])) return
  throw new OAuthError('invalid_request', 'The body must be application/x-www-form-urlencoded.', {
    number: errorNumber.malformedRequest,
    status: 415,
  })
}

function requireParameters(body: unknown): RequestParameters {
  const text = bodyText(body)
  if (text !== undefined) return readParameters(text)
  throw new OAuthError('invalid_request', 'The body is not UTF-8.', { number: errorNumber.malformedRequest })
}
