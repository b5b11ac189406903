// The end of a server, in two steps that a balancer can follow: answers say `Connection: close` while new connections
// are still taken; then no new connections, idle ones closed, requests in flight finished, and a deadline after which
// what is left is cut.

import type { FastifyInstance } from 'fastify'
import { connectionsOf } from './open-connections.js'

/** A connection may have been opened just before the end, with its request on the way. */
const silentMs = 1_000

/** From now on every answer says `Connection: close` (RFC 9112 §9.6), so that clients look for another instance. */
export function announceClosing(app: FastifyInstance): void {
  connectionsOf(app.server)?.announceClose()
}

/**
 * Closes `app` and resolves when every connection is gone, after `drainMs` at the latest. Readiness must be false for a
 * while before, so that a balancer has stopped sending; that wait is the caller's.
 */
export async function closeGracefully(app: FastifyInstance, drainMs: number): Promise<void> {
  const { server } = app
  const began = performance.now()
  announceClosing(app)
  const cut = setTimeout(() => {
    server.closeAllConnections()
    connectionsOf(server)?.cutAll()
  }, drainMs)
  // A connection becomes idle when its answer ends, and nobody closes it then: look again until all are gone.
  const sweep = setInterval(() => {
    server.closeIdleConnections()
    if (performance.now() - began > silentMs) connectionsOf(server)?.closeSilent()
  }, 50)
  try {
    await app.close()
  } finally {
    clearTimeout(cut)
    clearInterval(sweep)
  }
}
