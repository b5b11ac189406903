// From a passed request to the bytes that its upstream gets: the same canonical path that was decided on, headers of
// the gate's own making, the body as a counted stream.

import type { IncomingMessage } from 'node:http'
import { announcesBody } from '../../http/answers/answer-raw.js'
import { isUpgrade } from '../../http/connections/upgrades.js'
import { connectionIdleMs } from '../../http/listener.js'
import type { BodyBudget } from '../../http/requests/body-budget.js'
import { sendContinue } from '../../http/requests/buffered-body.js'
import type { Passage, PlanConcurrency } from '../admit.js'
import { type Refusal, refusal, writeRefusal } from '../errors.js'
import { tooManyUnderWay } from '../limit-refusals.js'
import { judgeMcp, type McpDeps } from '../mcp/judge.js'
import type { McpWatch } from '../mcp/watch.js'
import type { NoteRefusal } from '../refusal-notes.js'
import { forwardedPath } from '../routes/prefix.js'
import type { RoutePlan } from '../routes/snapshot.js'
import { CallerTallies, Tallies } from '../upstreams/callers.js'
import { refusesNow } from '../upstreams/upstream.js'
import { judge } from '../validation/described-request.js'
import type { Assertions } from './assertions.js'
import { type Exchange, letGo, senderOf } from './exchange.js'
import { identityFields } from './headers/identity-fields.js'
import { requestHeaders } from './headers/request-headers.js'
import { readHeldBody } from './held-body.js'
import type { OpenStreams } from './open-streams.js'
import { relay } from './relay.js'
import { type BodyLimits, dropBody, heldBody, type StreamedBody, streamBody } from './request-body.js'

/** Less than any network that people call from. */
const leastBytesPerSecond = 500
/**
 * A body that is no larger is read before its upstream is called: a client that sends it slowly holds no connection.
 */
const smallBodyBytes = 65_536

export interface ForwardDeps {
  baseUrl: string
  assertions: Assertions
  streams: OpenStreams
  bodies: BodyBudget
  /** Requests that one caller may have under way, over all upstreams. */
  perCaller: number
  /** What messages to MCP servers are decided with. */
  mcp: Pick<McpDeps, 'limiter' | 'usage' | 'sessions' | 'pins' | 'approvals' | 'counts' | 'describe' | 'toolRules'> & {
    watch: McpWatch
  }
  /** How many instances there are: each lets its part of what a plan lets be under way. */
  instances: () => number
  /** For request bodies, and for clients that do not read. */
  bodyIdleMs: number
  onFailure(error: Error, upstream: string, requestId: string): void
  noteRefusal: NoteRefusal
}

/** Builds the forwarder. It answers on the raw response whatever happens, and throws nothing. */
export function createForward(deps: ForwardDeps) {
  const ownHost = new URL(deps.baseUrl).host
  const callers = new CallerTallies()
  const applications = new Tallies()
  const pass = (exchange: Exchange, whole: Buffer | undefined): void => {
    const { plan } = exchange.passage
    const publicHost = exchange.facts.entry.apiHost ?? ownHost
    const reason = refusesNow(plan.upstream, plan.room, () => senderOf(exchange))
    if (reason !== undefined) {
      refuse(deps, exchange, refusal(reason))
      return
    }
    const authorization = identify(deps, exchange.passage)
    if (!(authorization instanceof Promise)) {
      send(deps, exchange, { publicHost, authorization, whole })
      return
    }
    authorization.then(
      (signed) => send(deps, exchange, { publicHost, authorization: signed, whole }),
      (error) => {
        deps.onFailure(error, plan.upstream.name, exchange.facts.requestId)
        refuse(deps, exchange, refusal('internal', error))
      },
    )
  }
  const described = {
    streams: deps.streams,
    bodies: deps.bodies,
    bodyIdleMs: deps.bodyIdleMs,
    onFailure: deps.onFailure,
    pathOf: upstreamPath,
    goOn: pass,
    refuse: (exchange: Exchange, refused: Refusal) => refuse(deps, exchange, refused),
  }
  const { limiter, usage, sessions, pins, approvals, counts, describe, toolRules, watch } = deps.mcp
  const messages: McpDeps = {
    streams: deps.streams,
    bodies: deps.bodies,
    bodyIdleMs: deps.bodyIdleMs,
    baseUrl: deps.baseUrl,
    limiter,
    toolRules,
    usage,
    sessions,
    pins,
    approvals,
    counts,
    describe,
    onFailure: deps.onFailure,
    read: watch.read,
    hidden: watch.hidden,
    goOn(exchange, body) {
      watch.passed(exchange)
      pass(exchange, body)
    },
    refuse(exchange, refused) {
      watch.refused(exchange, refused)
      refuse(deps, exchange, refused)
    },
  }
  return (exchange: Exchange): void => {
    const { passage, facts } = exchange
    const { description, mcp } = passage.plan
    const tally = callers.caller(passage.principal, facts.address)
    if (tally.underWay >= deps.perCaller) return void refuse(deps, exchange, refusal('caller_in_flight'))
    tally.underWay += 1
    exchange.tally = tally
    if (passage.concurrent !== undefined && !joinPlan(deps, exchange, applications, passage.concurrent)) return
    if (mcp !== undefined) judgeMcp(messages, exchange, mcp)
    else if (description !== undefined) judge(described, exchange, description)
    else if (!isReadFirst(exchange)) pass(exchange, undefined)
    else readHeldBody(described, exchange, smallBody(passage.plan, deps.bodyIdleMs), (body) => pass(exchange, body))
  }
}

/** Gives whether the plan of the application lets one more be under way; else it is refused. */
function joinPlan(deps: ForwardDeps, exchange: Exchange, applications: Tallies, bound: PlanConcurrency): boolean {
  const tally = applications.of(exchange.passage.principal?.applicationId ?? '')
  if (tally.underWay >= Math.ceil(bound.most / Math.max(1, deps.instances()))) {
    refuse(deps, exchange, tooManyUnderWay(bound))
    return false
  }
  tally.underWay += 1
  exchange.planTally = tally
  return true
}

/** On a route that streams, both sides may speak at once; it has connections of its own. */
function isReadFirst({ request, passage: { plan, withBody } }: Exchange): boolean {
  if (!withBody || plan.route.stream) return false
  const length = request.headers['content-length']
  return length === undefined || Number(length) <= smallBodyBytes
}

function smallBody(plan: RoutePlan, idleMs: number) {
  const { limitBytes, leastBytes } = bodyLimits(plan, idleMs)
  return { limitBytes, idleMs, leastBytes, enoughBytes: smallBodyBytes }
}

/** Without the query. */
function upstreamPath({ facts, passage: { plan } }: Exchange): string {
  const path = facts.target.ok ? facts.target.path : ''
  return plan.upstream.basePath + (plan.prefix === undefined ? path : forwardedPath(plan.prefix, path))
}

function refuse({ noteRefusal }: ForwardDeps, exchange: Exchange, refused: Refusal): void {
  const { request, response, facts, passage } = exchange
  letGo(exchange)
  if (refused.error.status === 429 || refused.error.status === 503) passage.plan.upstream.refused(refused.reason)
  noteRefusal({ facts, method: request.method, principal: passage.principal, refused })
  writeRefusal(request, response, facts, refused)
}

function identify(deps: ForwardDeps, passage: Passage): string | undefined | Promise<string> {
  const { plan, principal, permissions } = passage
  if (principal === undefined || plan.identity === 'none') return undefined
  return deps.assertions.authorization({
    principal,
    audience: plan.upstream.name,
    permissions,
    slot: plan.assertionSlot,
    exchangeable: plan.exchangeable,
  })
}

function plainIdentity({ principal, permissions }: Passage, authorization: string | undefined) {
  if (principal === undefined || authorization === undefined) return undefined
  return identityFields(principal, permissions, authorization)
}

function send(
  deps: ForwardDeps,
  exchange: Exchange,
  identity: { publicHost: string; authorization: string | undefined; whole: Buffer | undefined },
): void {
  const { request, response, facts, passage } = exchange
  const { plan, withBody } = passage
  if (response.destroyed || !facts.target.ok) return void letGo(exchange)
  const { whole } = identity
  if (!takePlace(deps, exchange, withBody && whole === undefined)) return
  allowSilence(request, plan)
  const body = bodyOf(deps, exchange, whole)
  const { query } = facts.target
  const at = upstreamPath(exchange)
  relay({
    exchange,
    request,
    response,
    facts,
    plan,
    principal: passage.principal,
    limitFields:
      facts.entry.answerFields === undefined
        ? passage.limitFields
        : [...passage.limitFields, ...facts.entry.answerFields],
    body,
    dispatch: {
      method: request.method ?? '',
      path: query === undefined ? at : `${at}?${query}`,
      headers: requestHeaders(request, facts, {
        publicHost: identity.publicHost,
        authorization: plan.identity === 'headers' ? undefined : identity.authorization,
        identity: plan.identity === 'headers' ? plainIdentity(passage, identity.authorization) : undefined,
        fields: plan.requestFields,
        instead: passage.instead,
        withBody,
      }),
      body: body === undefined ? (whole ?? null) : body.stream,
      headersTimeout: plan.headersMs,
      bodyTimeout: plan.idleMs,
      upgrade: isUpgrade(request) ? 'websocket' : null,
    },
    baseUrl: facts.entry.apiHost === undefined ? deps.baseUrl : `https://${facts.entry.apiHost}`,
    rewrite: exchange.rewrite,
    stallMs: deps.bodyIdleMs,
    streams: deps.streams,
    call: {
      plan,
      facts,
      method: request.method,
      target: undefined,
      confirmedBy: undefined,
      operations: passage.operations,
    },
    onFailure: (error) => deps.onFailure(error, plan.upstream.name, facts.requestId),
    noteRefusal: deps.noteRefusal,
  })
}

/** Gives whether the request has one, or may wait for one; else it is refused. */
function takePlace(deps: ForwardDeps, exchange: Exchange, isUpload: boolean): boolean {
  const { facts, passage } = exchange
  const { plan, principal } = passage
  const isStream = plan.route.stream
  const place = plan.room.take(principal, facts.address, isUpload && !isStream)
  if (typeof place === 'string') {
    const full = isStream ? 'upstream_streams' : 'upstream_overloaded'
    refuse(deps, exchange, refusal(place === 'full' ? full : isStream ? 'caller_streams' : 'caller_in_flight'))
    return false
  }
  exchange.place = place
  // Streams last, so nobody waits for one to end.
  if (!isStream || place.runs) return true
  refuse(deps, exchange, refusal('caller_streams'))
  return false
}

/** What is still to be read of the request, and what was read and goes on as it came, in chunks. */
function bodyOf(deps: ForwardDeps, exchange: Exchange, whole: Buffer | undefined): StreamedBody | undefined {
  const { request, response, passage } = exchange
  const { plan, withBody } = passage
  if (whole !== undefined) {
    const cameInChunks =
      request.headers['content-length'] === undefined && plan.description === undefined && plan.mcp === undefined
    return cameInChunks ? heldBody(whole) : undefined
  }
  if (!withBody) {
    if (announcesBody(request)) dropBody(request, plan.bodyBytes)
    return undefined
  }
  // Whose first part was read has heard it before.
  if (!isReadFirst(exchange)) sendContinue(request, response)
  return streamBody(request, bodyLimits(plan, deps.bodyIdleMs))
}

/**
 * A client that sends a byte now and then holds a connection to the upstream for as long: on a route that does not
 * stream, none may.
 */
function bodyLimits({ bodyBytes, route }: RoutePlan, idleMs: number): BodyLimits {
  return {
    limitBytes: bodyBytes,
    idleMs,
    leastBytes: route.stream ? 1 : Math.ceil((leastBytesPerSecond * idleMs) / 1000),
  }
}

/** A connection that waits for a slow upstream is not idle; the upstream's own limits end the wait. */
function allowSilence(request: IncomingMessage, { headersMs, idleMs, upstream }: RoutePlan): void {
  const needed = Math.max(headersMs, idleMs) + upstream.queueMs + 5_000
  if (needed > connectionIdleMs && (request.socket.timeout ?? 0) < needed) request.socket.setTimeout(needed)
}
