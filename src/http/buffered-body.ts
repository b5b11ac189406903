// Bodies that a route reads whole: 100 Continue is sent only when somebody is about to read, which is after every check
// of the head, and the whole body must arrive within a time. The gate streams and keeps its own idle limit.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { hasUnreadBody } from './answer-raw.js'
import { ApiError } from './api-error.js'

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

/** Adds the hook that does both for every route whose config does not say `streams`. */
export function limitBufferedBodies(app: FastifyInstance, wholeBodyMs: number): void {
  app.addHook('preParsing', (request, reply, _payload, done) => {
    // The body first: Fastify makes `routeOptions` anew each time that somebody asks for it.
    if (hasUnreadBody(request.raw) && request.routeOptions.config.streams !== true) {
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
