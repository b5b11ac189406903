// Builds the server that everything public goes through: every time-out and size limit set, the request's facts made
// before routing, what must not pass refused in the root hook, and every answer carrying request-id, Duration and Date.
// Knows nothing of routes, tokens or upstreams.

import { randomUUID } from 'node:crypto'
import {
  createServer,
  type IncomingMessage,
  METHODS,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { Socket } from 'node:net'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyServerOptions,
  LogController,
} from 'fastify'
import type { Metrics } from '../observability/metrics.js'
import { createAccounting } from './accounting.js'
import { hasUnreadBody } from './answers/answer-raw.js'
import { ApiError } from './answers/api-error.js'
import { answerClientError, closingAnswer } from './answers/client-error.js'
import { durationField } from './answers/duration.js'
import { writeApiErrors } from './answers/error-responses.js'
import { refusalPage } from './answers/refusal-page.js'
import { type ConnectionCaps, type ConnectionRules, capConnections } from './connections/connection-caps.js'
import { rememberConnections } from './connections/open-connections.js'
import { oneAtATime, owesAnswer } from './connections/pipelining.js'
import { createSocketTurns } from './connections/turns.js'
import { answerUpgrades } from './connections/upgrades.js'
import { exactRouting, refusingPattern } from './requests/addresses.js'
import { endsConnection, hostMatcher, refuseAdmission } from './requests/admission.js'
import { type HoldBody, limitBufferedBodies } from './requests/buffered-body.js'
import { canonicalTarget } from './requests/canonical-target.js'
import { addressMatcher, clientAddressReader } from './requests/client-address.js'
import { refuseMisplaced } from './requests/placement-check.js'
import { newEntry, requestContext, setRequestContext } from './requests/request-context.js'
import type { Certificates } from './tls/server-names.js'
import { createTlsPort } from './tls/tls-port.js'
import type { Tracing } from './tracing.js'

export interface HttpServerOptions {
  /**
   * `local` is a Unix socket: no Host rule, no TLS rule. `proxies`: neither, and every peer's X-Forwarded-For and
   * -Proto are believed, because what comes in is about another request. Default `public`.
   */
  listener?: 'public' | 'local' | 'proxies'
  /** PEM; undefined behind a proxy that ends TLS. */
  tls: Certificates | undefined
  /** Trusted proxies pass TLS on unread, and say whose connection it is by the PROXY protocol. */
  proxyProtocol?: boolean
  /** The issuer; its host is the one that is answered for. */
  baseUrl: string
  /** Browsers are told to come to every name below this host over HTTPS too. */
  hstsIncludeSubDomains?: boolean
  /** Further host names, without ports; `*.localhost` covers every name below. */
  hosts?: readonly string[]
  /** More of them, which answer for nothing but the gate's routes. */
  apiHosts?: readonly string[]
  /** CIDR blocks whose X-Forwarded-For and -Proto are believed. */
  trustedProxies?: readonly string[]
  limits: {
    urlBytes: number
    headerBytes: number
    headerCount: number
    /** Of bodies that are read whole; routes may set their own. */
    bodyBytes: number
    headersTimeoutMs: number
    /** A body that is read whole must arrive within this time. */
    bodyIdleMs: number
    keepAliveMs: number
    requestsPerConnection: number
  }
  /** How many connections there may be; absent: as many as come. */
  connections?: ConnectionRules
  /** Memory for bodies that are read whole; without it nobody counts them. */
  holdBody?: HoldBody | undefined
  /** Pino options (log.ts), or a logger that exists already. */
  logger: NonNullable<FastifyServerOptions['logger']> | { existing: FastifyBaseLogger }
  /** One line per request. */
  accessLog: boolean
  metrics?: Metrics
  tracing?: Tracing | undefined
}

declare module 'fastify' {
  interface FastifyInstance {
    /** The base URL: the origin of every page of ours. */
    publicOrigin: string
  }
}

/**
 * How long a connection may be silent in both directions: longer than upstreams may take by default, as the gate raises
 * it where one may take longer.
 */
export const connectionIdleMs = 75_000

/** Set on a connection that ends with the answer that it gets. */
const ending = Symbol('portcullis.ending')
type EndingSocket = IncomingMessage['socket'] & { [ending]?: true }

const guid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** The server, not yet listening. Rooms register themselves on it; the gate last, with its wildcard. */
export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const app = Fastify({
    ...fastifyLogger(options),
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: (raw) => requestContext(raw).requestId,
    requestIdHeader: false,
    trustProxy: false,
    bodyLimit: options.limits.bodyBytes,
    return503OnClosing: false,
    onProtoPoisoning: 'error',
    onConstructorPoisoning: 'error',
    routerOptions: { ...exactRouting, maxParamLength: options.limits.urlBytes },
    rewriteUrl: factsBeforeRouting(options),
    clientErrorHandler: (error, socket) => {
      const reason = answerClientError(error, socket)
      options.metrics?.clientErrors.inc({ reason })
    },
    serverFactory: (handler) => listener(options, handler as RequestListener),
  }) as unknown as FastifyInstance
  // Every method that can be spoken reaches a route or a 404 of ours; what a room serves is its own decision.
  for (const method of METHODS) {
    if (method !== 'CONNECT' && !app.supportedMethods.includes(method)) app.addHttpMethod(method, { hasBody: true })
  }
  app.decorate('publicOrigin', options.baseUrl)
  speakThrough(app, options)
  writeApiErrors(app)
  addRootHooks(app, options)
  limitBufferedBodies(app, { wholeBodyMs: options.limits.bodyIdleMs, hold: options.holdBody })
  return app
}

/**
 * A logger that exists is kept from Fastify: given one, it makes a child of it and two listeners for each request,
 * which costs more than the line that is written. So `request.log` is silent here; rooms speak through
 * `request.server.log`.
 */
function fastifyLogger({ logger }: HttpServerOptions): FastifyServerOptions {
  return { logger: isExisting(logger) ? false : logger }
}

function speakThrough(app: FastifyInstance, { logger }: HttpServerOptions): void {
  if (isExisting(logger)) app.log = logger.existing
}

function isExisting(logger: HttpServerOptions['logger']): logger is { existing: FastifyBaseLogger } {
  return typeof logger === 'object' && 'existing' in logger
}

/**
 * Must not throw: an exception in rewriteUrl ends the process. A refused target is routed to `/`, where the root hook
 * refuses it.
 */
function factsBeforeRouting(options: HttpServerOptions): (raw: IncomingMessage | { url?: string }) => string {
  const addressOf = clientAddressReader(options.trustedProxies ?? [], options.listener === 'proxies')
  const local = options.listener === 'local'
  return (request) => {
    const raw = request as IncomingMessage
    const url = raw.url ?? ''
    const target =
      url.length > options.limits.urlBytes ? ({ ok: false, reason: 'target_too_long' } as const) : canonicalTarget(url)
    const client = addressOf(raw)
    const requestId = randomUUID()
    const asked = raw.headers['client-request-id']
    setRequestContext(raw, {
      requestId,
      clientRequestId: typeof asked === 'string' && guid.test(asked) ? asked : undefined,
      startedAt: performance.now(),
      address: client.address,
      secure: client.secure || local,
      target,
      describedMethod: undefined,
      trace: options.tracing?.begin(raw, requestId),
      entry: newEntry(),
    })
    if (!target.ok) return '/'
    return target.query === undefined ? target.path : `${target.path}?${target.query}`
  }
}

function addRootHooks(app: FastifyInstance, options: HttpServerOptions): void {
  const { apiHosts = [] } = options
  const names = [new URL(options.baseUrl).hostname, ...(options.hosts ?? []), ...apiHosts]
  const { headerBytes, headerCount } = options.limits
  const listener = options.listener ?? 'public'
  const hosts = {
    isKnownHost: hostMatcher(names),
    ...(apiHosts.length === 0 ? {} : { isApiHost: hostMatcher(apiHosts) }),
  }
  const rules = { listener, ...hosts, headerBytes, headerCount, baseUrl: options.baseUrl }
  const account = createAccounting({ metrics: options.metrics, accessLog: options.accessLog ? app.log : undefined })
  app.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw as { socket: EndingSocket }
    // Requests that came in one piece with a refused one are handed over all the same: nobody looks at them (hazard E).
    if (socket[ending] === true) return void reply.hijack()
    const facts = requestContext(request)
    reply.raw.on('close', () => {
      facts.entry.listener?.responseClosed()
      account(requestContext(request), request.raw, reply.raw)
    })
    const refusal = refuseAdmission(request.raw, facts, rules) ?? refuseMisplaced(request, facts)
    if (refusal !== undefined && endsConnection(refusal)) socket[ending] = true
    if (refusal === undefined) return void done()
    facts.entry.route ??= refusingPattern(request)
    const page = refusalPage(request.raw, facts, { refusal, baseUrl: options.baseUrl })
    if (page === undefined || hasUnreadBody(request.raw)) done(refusal)
    else reply.code(refusal.status).headers(page.headers).send(page.body)
  })
  app.addHook('onSend', (request, reply, _payload, done) => {
    const facts = requestContext(request)
    facts.entry.headAt = performance.now()
    facts.entry.route ??= refusingPattern(request) ?? request.routeOptions.url
    reply.header('request-id', facts.requestId)
    reply.header('duration', durationField(facts.entry.headAt - facts.startedAt))
    const hsts = options.hstsIncludeSubDomains === true && reply.getHeader('strict-transport-security')
    if (typeof hsts === 'string') reply.header('strict-transport-security', `${hsts}; includeSubDomains`)
    done()
  })
}

/** Node's defaults that are wrong for a public server: no head limit in time, silent loss of headers beyond a count. */
function listener(options: HttpServerOptions, oneRequest: RequestListener): Server {
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
  rememberConnections(made.server, siblings)
  return made.server
}

function tlsPort({ limits, trustedProxies = [], proxyProtocol }: HttpServerOptions, certificates: Certificates) {
  const announces = proxyProtocol === true ? addressMatcher(trustedProxies) : undefined
  return { certificates, announces, firstByteMs: limits.headersTimeoutMs }
}

function applyLimits(server: Server, options: HttpServerOptions): void {
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
