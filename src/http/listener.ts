// Node's own server, with what is wrong by default for a public one set right: no limit of time for the head of a
// request, header fields that vanish beyond a number, requests of one connection that overtake each other, and answers
// to what HTTP has beside requests: Upgrade, CONNECT, Expect.

import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Metrics } from '../observability/metrics.js'
import { ApiError } from './answers/api-error.js'
import { closingAnswer } from './answers/client-error.js'
import { type ConnectionCaps, type ConnectionRules, capConnections } from './connections/connection-caps.js'
import { rememberConnections } from './connections/open-connections.js'
import { oneAtATime, owesAnswer } from './connections/pipelining.js'
import { watchSilence } from './connections/silence.js'
import { createSocketTurns } from './connections/turns.js'
import { answerUpgrades } from './connections/upgrades.js'
import { addressMatcher } from './requests/client-address.js'
import { QuietRequest } from './requests/unread-request.js'
import type { Certificates } from './tls/server-names.js'
import type { Staples } from './tls/stapling/staples.js'
import type { TicketKeys } from './tls/ticket-keys.js'
import { createTlsPort } from './tls/tls-port.js'

export interface ListenerOptions {
  /** PEM; undefined behind a proxy that ends TLS. */
  tls: Certificates | undefined
  /** Of TLS sessions that other processes resume; absent: this one alone does. */
  tickets?: TicketKeys | undefined
  /** The status of the certificates, sent along to clients; absent: it never is. */
  staples?: Staples | undefined
  /** Trusted proxies pass TLS on unread, and say whose connection it is by the PROXY protocol. */
  proxyProtocol?: boolean
  /** CIDR blocks whose X-Forwarded-For and -Proto are believed. */
  trustedProxies?: readonly string[]
  limits: {
    urlBytes: number
    headerBytes: number
    headersTimeoutMs: number
    keepAliveMs: number
    requestsPerConnection: number
  }
  /** How many connections there may be; absent: as many as come. */
  connections?: ConnectionRules
  metrics?: Metrics
}

/**
 * How long a connection may be silent in both directions: longer than upstreams may take by default, as the gate raises
 * it where one may take longer.
 */
export const connectionIdleMs = 75_000

/** Node's server, not yet listening: each connection's requests come to `oneRequest` one at a time. */
export function createListener(options: ListenerOptions, oneRequest: RequestListener): Server {
  const { limits, connections } = options
  const takeTurn = createSocketTurns((address) => {
    const [own, network] = connections?.groupsOf(address) ?? []
    return { address: own?.name ?? address, network: network?.name }
  })
  const handler = oneAtATime(oneRequest, takeTurn)
  const serverOptions = {
    maxHeaderSize: limits.headerBytes + limits.urlBytes + 1024,
    headersTimeout: limits.headersTimeoutMs,
    connectionsCheckingInterval: Math.max(250, Math.min(5_000, limits.headersTimeoutMs / 4)),
    // A whole-request time-out would cut slow uploads with a bare 408; bodies have their own idle limit.
    requestTimeout: 0,
    keepAliveTimeout: limits.keepAliveMs,
    requireHostHeader: false,
    insecureHTTPParser: false,
    IncomingMessage: QuietRequest,
  }
  let caps: ConnectionCaps | undefined
  const onAnnounced = (socket: Socket, address: string) => caps?.announced(socket, address) ?? true
  const made =
    options.tls === undefined
      ? { server: createServer(serverOptions, handler), plain: undefined }
      : createTlsPort({ server: serverOptions, ...tlsPort(options, options.tls), onAnnounced, takeTurn }, handler)
  if (connections !== undefined) {
    const isBalancer = addressMatcher(options.trustedProxies ?? [])
    caps = capConnections(made.server, connections, { isBalancer, metrics: options.metrics })
  }
  const siblings = made.plain === undefined ? [] : [made.plain]
  for (const server of [made.server, ...siblings]) applyLimits(server, options)
  watchSilence([made.server, ...siblings], Math.min(limits.keepAliveMs, connectionIdleMs))
  const handshakes = options.metrics?.tlsHandshakes
  made.server.on('secureConnection', (socket: TLSSocket) => {
    handshakes?.inc({ kind: socket.isSessionReused() ? 'resumed' : 'full' })
  })
  rememberConnections(made.server, siblings)
  return made.server
}

function tlsPort(
  { limits, trustedProxies = [], proxyProtocol, tickets, staples }: ListenerOptions,
  certificates: Certificates,
) {
  const announces = proxyProtocol === true ? addressMatcher(trustedProxies) : undefined
  return { certificates, tickets, staples, announces, firstByteMs: limits.headersTimeoutMs }
}

function applyLimits(server: Server, options: ListenerOptions): void {
  // Header fields beyond this number would vanish; they are counted and refused in the root hook instead.
  server.maxHeadersCount = 0
  server.setTimeout(connectionIdleMs)
  server.maxRequestsPerSocket = options.limits.requestsPerConnection
  answerUpgrades(server)
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) =>
    server.emit('request', request, response),
  )
  const refuseExpectation = oneAtATime((_request, response) => {
    response.socket?.end(closingAnswer(new ApiError(417, 'ExpectationFailed', 'The only expectation is 100-continue.')))
  })
  server.on('checkExpectation', refuseExpectation)
  server.on('connect', (_request: IncomingMessage, socket) => {
    // Its answer would be read as that of the request before; Node has taken the connection away from that one.
    if (owesAnswer(socket)) return void socket.destroy()
    const headers = { allow: 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS' }
    socket.end(closingAnswer(new ApiError(405, 'MethodNotAllowed', 'This method is not served.', { headers })))
  })
}
