// The end of a server: no new connections, idle ones closed at once, `Connection: close` on answers still to come, and a
// deadline after which what is left is cut.

import type { FastifyInstance } from 'fastify'

/**
 * Closes `app` and resolves when every connection is gone, after `drainMs` at the latest. Readiness must be false for a
 * while before, so that a balancer has stopped sending; that wait is the caller's.
 */
export async function closeGracefully(app: FastifyInstance, drainMs: number): Promise<void> {
  const { server } = app
  const cut = setTimeout(() => server.closeAllConnections(), drainMs)
  // A connection becomes idle when its answer ends, and nobody closes it then: look again until all are gone.
  const sweep = setInterval(() => server.closeIdleConnections(), 50)
  try {
    await app.close()
  } finally {
    clearTimeout(cut)
    clearInterval(sweep)
  }
}
