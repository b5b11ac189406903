// A public server for tests: small limits, a silent log, TLS off behind a trusted loopback proxy unless said otherwise.

import type { FastifyInstance } from 'fastify'
import { answerOtherMethods } from '../../../src/http/requests/addresses.js'
import { createHttpServer, type HttpServerOptions } from '../../../src/http/server.js'

export const testLimits = {
  urlBytes: 8_192,
  headerBytes: 16_384,
  headerCount: 100,
  bodyBytes: 1_048_576,
  headersTimeoutMs: 10_000,
  bodyIdleMs: 10_000,
  keepAliveMs: 5_000,
  requestsPerConnection: 10_000,
}

/** Header lines of a request that a proxy in front of us passed on over TLS. */
export const proxied = 'Host: localhost\r\nX-Forwarded-Proto: https\r\n'

/** A server that trusts loopback as its proxy, so that plain sockets can play HTTPS clients. */
export function testServer(options: Partial<HttpServerOptions> = {}): FastifyInstance {
  const app = createHttpServer({
    tls: undefined,
    baseUrl: 'https://localhost:8443',
    trustedProxies: ['127.0.0.1'],
    limits: testLimits,
    logger: { level: 'silent' },
    accessLog: false,
    ...options,
  })
  answerOtherMethods(app)
  return app
}

/** Listens on a free loopback port and gives it. */
export async function listening(app: FastifyInstance): Promise<number> {
  await app.listen({ host: '127.0.0.1', port: 0 })
  const address = app.server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}
