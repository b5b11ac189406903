// Bodies that a route reads whole: 100 Continue is sent only when somebody is about to read, which is after every check
// of the head, and the whole body must arrive within a time. The gate streams and keeps its own idle limit.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { hasUnreadBody } from '../answers/answer-raw.js'
import { ApiError } from '../answers/api-error.js'
import type { BodyHold } from './body-budget.js'
import { requestContext } from './request-context.js'

/** Tells a client that waits (RFC 9110 §10.1.1) to send its body. Call it once, when the body is about to be read. */
export function sendContinue(request: IncomingMessage, response: ServerResponse): void {
  const { expect } = request.headers
  if (expect !== undefined && expect.toLowerCase() === '100-continue' && !response.headersSent) response.writeContinue()
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route reads its body itself, chunk by chunk, and keeps its own time. */
    streams?: boolean
  }
}

/** Sets memory aside for a body of so many bytes that comes from this address. */
export type HoldBody = (address: string, bytes: number) => BodyHold | 'full' | 'share'

export interface BufferedBodies {
  /** A whole body must arrive within this time. */
  wholeBodyMs: number
  /** Undefined: nobody counts. */
  hold: HoldBody | undefined
}

/** Adds the hook that does all of this for every route whose config does not say `streams`. */
export function limitBufferedBodies(app: FastifyInstance, { wholeBodyMs, hold }: BufferedBodies): void {
  app.addHook('preParsing', (request, reply, _payload, done) => {
    // The body first: Fastify makes `routeOptions` anew each time that somebody asks for it.
    if (hasUnreadBody(request.raw) && request.routeOptions.config.streams !== true) {
      const refused = hold === undefined ? undefined : setAside(hold, request, reply)
      if (refused !== undefined) return void done(refused)
      sendContinue(request.raw, reply.raw)
      const timer = setTimeout(() => {
        // Sent as an error, so that the room writes it as it writes all of its refusals.
        reply.send(new ApiError(408, 'RequestTimeout', 'The request body did not arrive in time.'))
      }, wholeBodyMs)
      const stop = () => clearTimeout(timer)
      request.raw.once('end', stop).once('close', stop)
      // A body that was refused for its announced length is never read to its end.
      reply.raw.once('close', stop)
    }
    done()
  })
}

/**
 * Memory for the body until the answer is closed; or why there is none. What has no length may be as long as its route
 * allows.
 */
function setAside(hold: HoldBody, request: FastifyRequest, reply: FastifyReply): ApiError | undefined {
  const limit = request.routeOptions.bodyLimit ?? request.server.initialConfig.bodyLimit ?? 0
  const announced = Number(request.raw.headers['content-length'] ?? limit)
  // What is too large is refused for that, before it is read.
  const held = announced > limit ? undefined : hold(requestContext(request).address, announced)
  if (held === undefined) return undefined
  const headers = { 'retry-after': '1' }
  if (held === 'full') {
    return new ApiError(503, 'ServiceUnavailable', 'Too many request bodies are on their way; try again.', { headers })
  }
  if (held === 'share') {
    const message = 'You are sending too many bodies at once; send the next when some of them have been answered.'
    return new ApiError(429, 'TooManyRequests', message, { headers })
  }
  reply.raw.once('close', () => held.release())
  return undefined
}
