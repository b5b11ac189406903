// The handful of facts that every request has from its first byte on. Kept on the raw request, because a router,
// a hijacked reply and a parser error must all reach them; made once, in server.ts.

import type { IncomingMessage } from 'node:http'
import type { CanonicalTarget } from './canonical-target.js'

const context = Symbol('portcullis.request-context')

/** What a request says of itself. Nothing of it changes; what is learned on the way stands in its entry. */
export interface RequestContext {
  /** GUID of this request: the `request-id` response header and the `trace_id` of errors. */
  readonly requestId: string
  /** The caller's own GUID from `client-request-id`, when it is one. */
  readonly clientRequestId: string | undefined
  /** performance.now() when the head had been read. */
  readonly startedAt: number
  /** The client's address: the socket's, or what a trusted proxy says. IPv4-mapped IPv6 is written as IPv4. */
  readonly address: string
  /** Whether the client spoke TLS, to us or to a trusted proxy. */
  readonly secure: boolean
  readonly target: CanonicalTarget
  /** The method of the request that this one is about, when it is about another (gateway/forward-auth/). */
  readonly describedMethod: string | undefined
  /** Its span, where spans are made. */
  readonly trace: RequestTrace | undefined
  readonly entry: AccessEntry
}

/**
 * What is learned of a request until it has been answered: its metrics, its line in the access log, and who is told of
 * its end.
 */
export interface AccessEntry {
  /**
   * The host (with its port) that was requested, when it is one that answers for nothing but routes; see
   * server.apiHosts.
   */
  apiHost: string | undefined
  /** The configured id of the matched route, for metrics and log; absent for what is not routed. */
  route: string | undefined
  /** Who produced the status. The gate says `gate` or `upstream`; everything else counts as `identity`. */
  source: 'gate' | 'identity' | 'upstream'
  /** performance.now() when the response head was written. */
  headAt: number | undefined
  /** The application that called, once that is verified. */
  applicationId: string | undefined
  /** The person whom the request is about, once that is certain. */
  userId: string | undefined
  /** Of a message to an MCP server: the configured operation that it asks for (gateway/mcp/operation-label.ts). */
  operation: string | undefined
  /** Of such a message: the permissions that opened it, or the first one that it lacks. */
  permissions: readonly string[] | undefined
  /** Stable id of why the request was refused, for the log. */
  reason: string | undefined
  /** Flat name, value list that every answer carries once the route is known. */
  answerFields: readonly string[] | undefined
  /** Hears of it when the answer to a call that the gate let pass is an error (status 400 and above). */
  call: { failed(status: number): void } | undefined
  /** Is told when the response has closed, finished or not, before it is counted. */
  listener: { responseClosed(): void } | undefined
}

/** An entry of which nothing is known yet: all members from the start, so that every entry has one shape. */
export function newEntry(source: AccessEntry['source'] = 'identity'): AccessEntry {
  return {
    apiHost: undefined,
    route: undefined,
    source,
    headAt: undefined,
    applicationId: undefined,
    userId: undefined,
    operation: undefined,
    permissions: undefined,
    reason: undefined,
    answerFields: undefined,
    call: undefined,
    listener: undefined,
  }
}

/** The span of a request. */
export interface RequestTrace {
  /** What names it to the upstream (W3C Trace Context). */
  traceparent: string
  end(facts: RequestContext, status: number): void
}

type RawRequest = IncomingMessage & { [context]?: RequestContext }

/**
 * Attaches the facts; server.ts calls it once per request, before routing. Who learns that a request stands for another
 * one attaches that one's, with the same entry.
 */
export function setRequestContext(raw: IncomingMessage, facts: RequestContext): void {
  ;(raw as RawRequest)[context] = facts
}

/** The client's address, also of a request without facts; empty when its connection has gone. */
export function addressOf(raw: IncomingMessage): string {
  return (raw as RawRequest)[context]?.address ?? raw.socket.remoteAddress ?? ''
}

/** The facts of a request. Throws when the request did not come through server.ts. */
export function requestContext(request: IncomingMessage | { raw: IncomingMessage }): RequestContext {
  const { raw = request as RawRequest } = request as { raw?: RawRequest }
  const facts = raw[context]
  if (facts === undefined) throw new Error('the request has no context: it did not come through http/server.ts')
  return facts
}
