// The handful of facts that every request has from its first byte on. Kept on the raw request, because a router,
// a hijacked reply and a parser error must all reach them; made once, in server.ts.

import type { IncomingMessage } from 'node:http'
import type { CanonicalTarget } from './canonical-target.js'

const context = Symbol('portcullis.request-context')

/** All members from the start, so that every request's context has one shape. */
export interface RequestContext {
  /** GUID of this request: the `request-id` response header and the `trace_id` of errors. */
  requestId: string
  /** The caller's own GUID from `client-request-id`, when it is one. */
  clientRequestId: string | undefined
  /** performance.now() when the head had been read. */
  startedAt: number
  /** The client's address: the socket's, or what a trusted proxy says. IPv4-mapped IPv6 is written as IPv4. */
  address: string
  /** Whether the client spoke TLS, to us or to a trusted proxy. */
  secure: boolean
  target: CanonicalTarget
  /** The host (with its port) that was asked for, when it is one that answers for nothing but routes; see server.apiHosts. */
  apiHost: string | undefined
  /** The configured id of the matched route, for metrics and log; absent for what is not routed. */
  route: string | undefined
  /** The method of the request that this one is about, when it is about another (gateway/forward-auth/). */
  describedMethod?: string | undefined
  /** Who produced the status. The gate says `gate` or `upstream`; everything else counts as `identity`. */
  source: 'gate' | 'identity' | 'upstream'
  /** performance.now() when the response head was written. */
  headAt: number | undefined
  /** The application that called, once that is verified. */
  applicationId: string | undefined
  /** The person whom the request is about, once that is certain. */
  userId: string | undefined
  /** Flat name, value list that every answer carries, whoever gives it, once the route is known. */
  answerFields?: readonly string[] | undefined
  /** Stable id of why the request was refused, for the log. */
  reason: string | undefined
  /** Its span, where spans are made. */
  trace: RequestTrace | undefined
  /** Hears of it when the answer to a call that the gate let pass is an error (status 400 and above). */
  call: { failed(status: number): void } | undefined
  /** Is told when the response has closed, finished or not, before it is counted. */
  listener: { responseClosed(): void } | undefined
}

/** The span of a request. */
export interface RequestTrace {
  /** What names it to the upstream (W3C Trace Context). */
  traceparent: string
  end(facts: RequestContext, status: number): void
}

type RawRequest = IncomingMessage & { [context]?: RequestContext }

/** Attaches the facts; server.ts calls it once per request, before routing. */
export function setRequestContext(raw: IncomingMessage, facts: RequestContext): void {
  ;(raw as RawRequest)[context] = facts
}

/** The facts of a request. Throws when the request did not come through server.ts. */
export function requestContext(request: IncomingMessage | { raw: IncomingMessage }): RequestContext {
  const raw: RawRequest = 'raw' in request ? request.raw : request
  const facts = raw[context]
  if (facts === undefined) throw new Error('the request has no context: it did not come through http/server.ts')
  return facts
}
