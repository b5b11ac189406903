// Cross-origin requests to the token, revocation and userinfo endpoints (contract §1, X1, X2): a browser application
// reads the answers that are its own. An answer names an origin only when it is one of the client that was named or has
// proved itself, and of its redirect URIs: https, and loopback at a port (decision 52); never `*`, never `null`, never
// with credentials, because these endpoints take none from a browser.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Registration } from '../directory/records.js'
import { requestContext } from '../http/requests/request-context.js'
import { browserOrigins } from '../oauth/requests/browser-origin.js'
import type { IdentityDependencies } from './dependencies.js'

const exposed = 'request-id, retry-after, ratelimit, ratelimit-policy, www-authenticate'
const allowedHeaders = 'authorization, content-type, client-request-id'
/** Short: a client that is disabled or changes its redirect URIs is soon checked again. */
const maxAgeSeconds = 600

/** Says that the answer depends on who asks; for every answer of such an endpoint. */
export function varyByOrigin(reply: FastifyReply): void {
  reply.header('vary', 'Origin')
}

/** Lets the page that sent the request read the answer, when its origin is one of the client's. */
export function allowOrigin(
  registration: Pick<Registration, 'redirectUris' | 'type'>,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const { origin } = request.headers
  if (origin === undefined || !browserOrigins(registration.redirectUris, registration.type).has(origin)) return
  reply.header('access-control-allow-origin', origin).header('access-control-expose-headers', exposed)
}

/**
 * Lets the page of any application's origin read that its token is not good: such a token belongs to nobody who could
 * be consulted, and the answer says nothing that the sender does not need. Throws StoreUnavailable.
 */
export async function allowKnownOrigin(
  { directory }: Pick<IdentityDependencies, 'directory'>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { origin } = request.headers
  if (origin === undefined || !(await directory.isBrowserOrigin(origin))) return
  reply.header('access-control-allow-origin', origin).header('access-control-expose-headers', exposed)
}

/**
 * Answers the preflight of one path. A preflight names no client, so it is allowed for every origin that some enabled
 * application is served from; the answer itself is for the client's own origin only. Others hear nothing but 204.
 */
export function registerPreflight(
  scope: FastifyInstance,
  deps: Pick<IdentityDependencies, 'directory'>,
  endpoint: { path: string; routeId: string; methods: string },
): void {
  const { path, routeId, methods } = endpoint
  const begin = async (request: FastifyRequest) => {
    requestContext(request).entry.route = routeId
  }
  scope.options(path, { onRequest: begin }, async (request, reply) => {
    const { origin } = request.headers
    varyByOrigin(reply)
    reply.header('cache-control', 'no-store')
    if (origin !== undefined && (await deps.directory.isBrowserOrigin(origin))) {
      reply
        .header('access-control-allow-origin', origin)
        .header('access-control-allow-methods', methods)
        .header('access-control-allow-headers', allowedHeaders)
        .header('access-control-max-age', String(maxAgeSeconds))
    }
    return reply.code(204).send()
  })
}
