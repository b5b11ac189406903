// A document that anybody may read and keep for a while: metadata and keys. Any origin may read it, never with
// credentials (contract §1); it says the same on every instance, so its ETag is a hash of its text.

import { createHash } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '../../http/answers/api-error.js'
import { isCurrent } from '../../http/requests/if-none-match.js'
import { requestContext } from '../../http/requests/request-context.js'
import { refuseOtherMethods } from '../../web/other-methods.js'

/** A long text with its hash, made once for all who read it. */
export interface PreparedText {
  body: Buffer
  /** With its quotation marks. */
  etag: string
}

export interface PublicDocument {
  path: string
  /** The route's id in logs and metrics. */
  routeId: string
  /** How long a reader may keep it, in seconds. */
  maxAgeSeconds: number
  /** The JSON text now; undefined while there is none. */
  text: (request: FastifyRequest) => MaybeText | Promise<MaybeText>
}

type MaybeText = string | PreparedText | undefined

/** Registers GET, HEAD and the answer to a preflight for one document; other methods are refused with 405. */
export function registerPublicDocument(scope: FastifyInstance, document: PublicDocument): void {
  const { path, routeId } = document
  const name = async (request: FastifyRequest) => {
    requestContext(request).entry.route = routeId
  }
  scope.get(path, { onRequest: name }, async (request, reply) => sendDocument(request, reply, document))
  scope.options(path, { onRequest: name }, async (_request, reply) =>
    reply
      .code(204)
      .header('access-control-allow-origin', '*')
      .header('access-control-allow-methods', 'GET, HEAD')
      .header('access-control-allow-headers', 'client-request-id, if-none-match')
      .header('access-control-max-age', '86400')
      .send(),
  )
  refuseOtherMethods(scope, path, routeId, ['GET', 'HEAD', 'OPTIONS'])
}

async function sendDocument(
  request: FastifyRequest,
  reply: FastifyReply,
  document: PublicDocument,
): Promise<FastifyReply> {
  const text = await document.text(request)
  if (text === undefined) throw new ApiError(404, 'NotFound', 'There is nothing here.')
  const { body, etag } = typeof text === 'string' ? prepared(text) : text
  reply
    .header('access-control-allow-origin', '*')
    .header('access-control-expose-headers', 'etag, request-id')
    .header('cache-control', `public, max-age=${document.maxAgeSeconds}`)
    .header('etag', etag)
    .header('x-content-type-options', 'nosniff')
  if (isCurrent(request.headers['if-none-match'], etag)) return reply.code(304).send()
  return reply.header('content-type', 'application/json').send(body)
}

function prepared(text: string): PreparedText {
  const body = Buffer.from(text)
  return { body, etag: `"${createHash('sha256').update(body).digest('base64url')}"` }
}
