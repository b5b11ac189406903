// What the token, revocation and introspection endpoints have in common: POST only, form-encoded only, nothing secret
// in the URL, never cached, counted per address before anything is read. No endpoint can forget it, because this
// registers it.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sendWhole } from '../http/answers/send-whole.js'
import { requestContext } from '../http/requests/request-context.js'
import { errorNumber } from '../oauth/errors/error-numbers.js'
import { OAuthError } from '../oauth/errors/errors.js'
import { checkNoSecretsInQuery, type RequestParameters, readParameters } from '../oauth/requests/parameters.js'
import { bodyText, isFormContentType, keepBodiesAsBytes, takeWholeBody } from '../web/form-body.js'
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

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Runs last of what runs before a body is read. */
    beforeBody?: (request: FastifyRequest, reply: FastifyReply) => Promise<void>
  }
}

/**
 * Makes a scope one of form endpoints: bodies stay bytes, and what a route wants to do before its body is read comes
 * behind the guard of addresses, which puts itself behind what the route has.
 */
export function prepareFormEndpoints(scope: FastifyInstance): void {
  keepBodiesAsBytes(scope)
  scope.addHook('onRoute', (route) => {
    const { beforeBody } = route.config ?? {}
    if (beforeBody !== undefined) route.onRequest = [...[route.onRequest ?? []].flat(), beforeBody]
  })
}

/** Registers an endpoint on a scope that prepareFormEndpoints made ready. */
export function registerFormEndpoint(scope: FastifyInstance, deps: IdentityDependencies, endpoint: FormEndpoint): void {
  const { routeId, handle, isForBrowsers = false } = endpoint
  const { tokenBodyBytes } = deps.settings.server
  const writeAnswer = createAnswerWriter()
  const answerForm = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const answer = await handle(requireParameters(request.body), request, reply)
    sendWhole(request, reply, answer === undefined ? '' : writeAnswer(reply, answer))
  }
  const begin = (request: FastifyRequest, reply: FastifyReply): void | Promise<void> => {
    beginEndpoint(request, reply, routeId)
    if (isForBrowsers) varyByOrigin(reply)
    const charged = chargeAddress(deps, request, reply)
    if (charged !== undefined) return charged.then(() => checkHead(request))
    checkHead(request)
  }
  for (const url of endpoint.paths) {
    scope.route({
      method: 'POST',
      url,
      bodyLimit: tokenBodyBytes,
      ...(endpoint.answer === undefined ? {} : { schema: { response: { 200: endpoint.answer } } }),
      onRequest: (request, reply, done) => {
        const begun = begin(request, reply)
        if (begun === undefined) done()
        else begun.then(() => done(), done)
      },
      config: {
        // A body that comes with its head is answered here, before anybody is found to read it.
        beforeBody: async (request, reply) => {
          await bodyBehindHead
          request.body = takeWholeBody(request.raw, tokenBodyBytes)
          if (request.body !== undefined) await answerForm(request, reply)
        },
      },
      handler: async (request, reply) => {
        await answerForm(request, reply)
        return reply
      },
    })
    if (isForBrowsers) registerPreflight(scope, deps, { path: url, routeId, methods: 'POST' })
    refuseOtherMethods(scope, url, routeId, isForBrowsers ? ['POST', 'OPTIONS'] : ['POST'])
  }
}

/**
 * Node hands over a head before it has looked at what came behind it in the same piece, and no promise goes on until it
 * has.
 */
const bodyBehindHead = Promise.resolve()

/** Writes answers by the schema of their route, which is what may be in them; found once. */
function createAnswerWriter(): (reply: FastifyReply, answer: object) => string {
  let write: ((payload: object) => string) | undefined
  return (reply, answer) => {
    reply.type('application/json;charset=UTF-8')
    write ??= reply.getSerializationFunction('200') as typeof write
    if (write === undefined) throw new Error('what may be in this answer is not described')
    return write(answer)
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
