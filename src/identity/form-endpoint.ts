// What the token, revocation and introspection endpoints have in common: POST only, form-encoded only, nothing secret
// in the URL, never cached, counted per address before anything is read. No endpoint can forget it, because this
// registers it.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { requestContext } from '../http/requests/request-context.js'
import { errorNumber } from '../oauth/errors/error-numbers.js'
import { OAuthError } from '../oauth/errors/errors.js'
import { checkNoSecretsInQuery, type RequestParameters, readParameters } from '../oauth/requests/parameters.js'
import { bodyText, isFormContentType } from '../web/form-body.js'
import { beginEndpoint, refuseOtherMethods } from '../web/other-methods.js'
import { registerPreflight, varyByOrigin } from './cors.js'
import type { IdentityDependencies } from './dependencies.js'
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
        beginEndpoint(request, reply, routeId)
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
