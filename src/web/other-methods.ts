// What an address of the identity service is not for: every other method is refused before a body is read.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { noteAddress } from '../http/requests/addresses.js'
import { requestContext } from '../http/requests/request-context.js'
import { errorNumber } from '../oauth/errors/error-numbers.js'
import { OAuthError } from '../oauth/errors/errors.js'

/** Answers every other method with 405 and Allow, before a body is read. */
export function refuseOtherMethods(
  scope: FastifyInstance,
  url: string,
  routeId: string,
  allowed: readonly string[],
): void {
  noteAddress(scope, url, {
    refuses: (method) => !allowed.includes(method),
    refuse(request, reply) {
      beginEndpoint(request, reply, routeId)
      throw new OAuthError('invalid_request', `This endpoint accepts ${allowed.join(', ')} only.`, {
        number: errorNumber.wrongMethod,
        status: 405,
        headers: [['allow', allowed.join(', ')]],
      })
    },
  })
}

/** Names the route of a request, and says that nobody keeps its answer. */
export function beginEndpoint(request: FastifyRequest, reply: FastifyReply, routeId: string): void {
  requestContext(request).entry.route = routeId
  reply.header('cache-control', 'no-store').header('pragma', 'no-cache').header('x-content-type-options', 'nosniff')
}
