// Builds the server that everything public goes through: the request's facts made before routing, what must not pass
// refused in the root hook, and every answer carrying request-id, Duration and Date. What stands before a request,
// connections and heads of requests, is in listener.ts. Knows nothing of routes, tokens or upstreams.

import { type IncomingMessage, METHODS, type RequestListener } from 'node:http'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  LogController,
} from 'fastify'
import type { Language } from '../languages/language.js'
import type { Metrics } from '../observability/metrics.js'
import { createAccounting } from './accounting.js'
import { hasUnreadBody } from './answers/answer-raw.js'
import { answerClientError } from './answers/client-error.js'
import { durationField } from './answers/duration.js'
import { writeApiErrors } from './answers/error-responses.js'
import { refusalPage } from './answers/refusal-page.js'
import { createSilentClosing } from './connections/silent-closing.js'
import { createListener, type ListenerOptions } from './listener.js'
import type { Overload } from './overload/overload.js'
import { answerOverloaded } from './overload/overloaded-answer.js'
import { priorityOf } from './overload/priorities.js'
import { exactRouting, refusingPattern } from './requests/addresses.js'
import { endsConnection, hostMatcher, refuseAdmission } from './requests/admission.js'
import { type HoldBody, limitBufferedBodies } from './requests/buffered-body.js'
import { canonicalTarget } from './requests/canonical-target.js'
import { clientAddressReader } from './requests/client-address.js'
import { refuseMisplaced } from './requests/placement-check.js'
import { newEntry, requestContext, setRequestContext } from './requests/request-context.js'
import { newRequestId } from './requests/request-id.js'
import type { Tracing } from './tracing.js'

export interface HttpServerOptions extends ListenerOptions {
  /**
   * `local` is a Unix socket: no Host rule, no TLS rule. `proxies`: neither, and every peer's X-Forwarded-For and
   * -Proto are believed, because what comes in is about another request. Default `public`.
   */
  listener?: 'public' | 'local' | 'proxies'
  /** The issuer; its host is the one that is answered for. */
  baseUrl: string
  /** Browsers are told to come to every name below this host over HTTPS too. */
  hstsIncludeSubDomains?: boolean
  /** Further host names, without ports; `*.localhost` covers every name below. */
  hosts?: readonly string[]
  /** More of them, which answer for nothing but the gate's routes. */
  apiHosts?: readonly string[]
  limits: ListenerOptions['limits'] & {
    headerCount: number
    /** Of bodies that are read whole; routes may set their own. */
    bodyBytes: number
    /** A body that is read whole must arrive within this time. */
    bodyIdleMs: number
  }
  /** Memory for bodies that are read whole; without it nobody counts them. */
  holdBody?: HoldBody | undefined
  /** Pino options (log.ts), or a logger that exists already. */
  logger: NonNullable<FastifyServerOptions['logger']> | { existing: FastifyBaseLogger }
  /** The language of pages for people who wish none; English when absent. */
  pageLanguage?: Language
  /** One line per request. */
  accessLog: boolean
  metrics?: Metrics
  tracing?: Tracing | undefined
  /** Says who is refused while there is too much to do; absent: nobody. */
  overload?: Overload
  /** The application that answers a request in the place of this one; undefined: this one does. */
  elsewhere?: (request: FastifyRequest) => Promise<FastifyInstance> | undefined
  /** It stands behind another application, which has made the facts of each request. */
  isBehind?: boolean
}

declare module 'fastify' {
  interface FastifyInstance {
    /** The base URL: the origin of every page of ours. */
    publicOrigin: string
    /** The language of pages for people who wish none. */
    pageLanguage?: Language
  }
}

/** Set on a connection that ends with the answer that it gets. */
const ending = Symbol('portcullis.ending')
type EndingSocket = IncomingMessage['socket'] & { [ending]?: true }

const guid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** The server, not yet listening. Rooms register themselves on it; the gate last, with its wildcard. */
export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const closeSilent = createSilentClosing()
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
    rewriteUrl: options.isBehind === true ? ({ url = '/' }) => url : factsBeforeRouting(options),
    clientErrorHandler: (error, socket) => {
      if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket.bytesRead === 0) return closeSilent(socket)
      const reason = answerClientError(error, socket)
      options.metrics?.clientErrors.inc({ reason })
    },
    serverFactory: (handler) => createListener(options, handler as RequestListener),
  }) as unknown as FastifyInstance
  // Every method that can be spoken reaches a route or a 404 of ours; what a room serves is its own decision.
  for (const method of METHODS) {
    if (method !== 'CONNECT' && !app.supportedMethods.includes(method)) app.addHttpMethod(method, { hasBody: true })
  }
  app.decorate('publicOrigin', options.baseUrl)
  app.decorate('pageLanguage', options.pageLanguage ?? 'en')
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
    const requestId = newRequestId()
    const clientRequestId = raw.headers['client-request-id']
    setRequestContext(raw, {
      requestId,
      clientRequestId: typeof clientRequestId === 'string' && guid.test(clientRequestId) ? clientRequestId : undefined,
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

/** Goes on, unless there is more to do than can be done and others are more urgent. */
function shedOr(overload: Overload, request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  const facts = requestContext(request)
  overload.arrived(facts.startedAt)
  const retryAfterSeconds = overload.isShedding
    ? overload.refuse(priorityOf(request), facts.address, facts.startedAt)
    : undefined
  if (retryAfterSeconds === undefined) done()
  else {
    reply.hijack()
    overload.hold(() => answerOverloaded(request.raw, reply.raw, facts, retryAfterSeconds))
  }
}

/** Gives whether there is anybody left to answer. Rejects when there is no such application. */
async function handOver(to: Promise<FastifyInstance>, request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
  const app = await to
  reply.hijack()
  if (reply.raw.destroyed) return false
  app.routing(request.raw, reply.raw)
  return true
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
  const countWhenClosed = ({ raw }: FastifyRequest, reply: FastifyReply) => {
    const count = () => account(requestContext(raw), raw, reply.raw)
    if (reply.raw.destroyed) count()
    else reply.raw.on('close', count)
  }
  app.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw as { socket: EndingSocket }
    // Requests that came in one piece with a refused one are handed over all the same: nobody looks at them (hazard E).
    if (socket[ending] === true) return void reply.hijack()
    const other = options.elsewhere?.(request)
    if (other !== undefined) {
      const left = (isAnswered: boolean) => void (isAnswered || countWhenClosed(request, reply))
      const failed = (error: Error) => {
        countWhenClosed(request, reply)
        done(error)
      }
      return void handOver(other, request, reply).then(left, failed)
    }
    const facts = requestContext(request)
    reply.raw.on('close', () => {
      facts.entry.listener?.responseClosed()
      account(requestContext(request), request.raw, reply.raw)
    })
    const refusal = refuseAdmission(request.raw, facts, rules) ?? refuseMisplaced(request, facts)
    if (refusal !== undefined && endsConnection(refusal)) socket[ending] = true
    if (refusal === undefined) {
      if (options.overload === undefined) done()
      else shedOr(options.overload, request, reply, done)
      return
    }
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
