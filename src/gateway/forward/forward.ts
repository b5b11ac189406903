// From a passed request to the bytes that its upstream gets: the same canonical path that was decided on, headers of the
// gate's own making, the body as a counted stream.

import type { IncomingMessage } from 'node:http'
import { announcesBody } from '../../http/answer-raw.js'
import { sendContinue } from '../../http/buffered-body.js'
import { connectionIdleMs } from '../../http/server.js'
import { isUpgrade } from '../../http/upgrades.js'
import type { Passage } from '../admit.js'
import { type Refusal, refusal, writeRefusal } from '../errors.js'
import type { NoteRefusal } from '../refusal-notes.js'
import { forwardedPath } from '../routes/prefix.js'
import type { RoutePlan } from '../routes/snapshot.js'
import { refusesNow } from '../upstreams/upstream.js'
import type { Assertions } from './assertions.js'
import { judge } from './described-request.js'
import type { Exchange } from './exchange.js'
import { identityFields } from './identity-fields.js'
import type { OpenStreams } from './open-streams.js'
import { relay } from './relay.js'
import { type BodyLimits, dropBody, streamBody } from './request-body.js'
import { requestHeaders } from './request-headers.js'

/** Less than any network that people call from. */
const leastBytesPerSecond = 500

export interface ForwardDeps {
  baseUrl: string
  assertions: Assertions
  streams: OpenStreams
  /** For request bodies, and for clients that do not read. */
  bodyIdleMs: number
  onFailure(error: Error, upstream: string, requestId: string): void
  noteRefusal: NoteRefusal
}

/** Builds the forwarder. It answers on the raw response whatever happens, and throws nothing. */
export function createForward(deps: ForwardDeps) {
  const ownHost = new URL(deps.baseUrl).host
  const pass = (exchange: Exchange, whole: Buffer | undefined): void => {
    const { plan } = exchange.passage
    const publicHost = exchange.facts.apiHost ?? ownHost
    const reason = refusesNow(plan.upstream)
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
    ...deps,
    pathOf: upstreamPath,
    goOn: pass,
    refuse: (exchange: Exchange, refused: Refusal) => refuse(deps, exchange, refused),
  }
  return (exchange: Exchange): void => {
    const { description } = exchange.passage.plan
    if (description === undefined) pass(exchange, undefined)
    else judge(described, exchange, description)
  }
}

/** Without the query. */
function upstreamPath({ facts, passage: { plan } }: Exchange): string {
  const path = facts.target.ok ? facts.target.path : ''
  return plan.upstream.basePath + (plan.prefix === undefined ? path : forwardedPath(plan.prefix, path))
}

function refuse({ noteRefusal }: ForwardDeps, { request, response, facts, passage }: Exchange, refused: Refusal): void {
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
  if (response.destroyed || !facts.target.ok) return
  allowSilence(request, plan)
  const { whole } = identity
  const streams = withBody && whole === undefined
  if (streams) sendContinue(request, response)
  else if (!withBody && announcesBody(request)) dropBody(request, plan.bodyBytes)
  const body = streams ? streamBody(request, bodyLimits(plan, deps.bodyIdleMs)) : undefined
  const { query } = facts.target
  const at = upstreamPath(exchange)
  relay({
    request,
    response,
    facts,
    plan,
    principal: passage.principal,
    limitFields:
      facts.answerFields === undefined ? passage.limitFields : [...passage.limitFields, ...facts.answerFields],
    body,
    dispatch: {
      method: request.method ?? '',
      path: query === undefined ? at : `${at}?${query}`,
      headers: requestHeaders(request, facts, {
        publicHost: identity.publicHost,
        authorization: plan.identity === 'headers' ? undefined : identity.authorization,
        identity: plan.identity === 'headers' ? plainIdentity(passage, identity.authorization) : undefined,
        fields: plan.requestFields,
        withBody,
      }),
      body: body === undefined ? (whole ?? null) : body.stream,
      headersTimeout: plan.headersMs,
      bodyTimeout: plan.idleMs,
      upgrade: isUpgrade(request) ? 'websocket' : null,
    },
    baseUrl: facts.apiHost === undefined ? deps.baseUrl : `https://${facts.apiHost}`,
    stallMs: deps.bodyIdleMs,
    streams: deps.streams,
    onFailure: (error) => deps.onFailure(error, plan.upstream.name, facts.requestId),
    noteRefusal: deps.noteRefusal,
  })
}

/** Whoever sends a byte now and then holds a connection to the upstream for as long: on a route that does not stream, nobody may. */
function bodyLimits({ bodyBytes, route }: RoutePlan, idleMs: number): BodyLimits {
  return {
    limitBytes: bodyBytes,
    idleMs,
    leastBytes: route.stream ? 1 : Math.ceil((leastBytesPerSecond * idleMs) / 1000),
  }
}

/** A connection that waits for a slow upstream is not idle; the upstream's own limits end the wait. */
function allowSilence(request: IncomingMessage, { headersMs, idleMs }: RoutePlan): void {
  const needed = Math.max(headersMs, idleMs) + 5_000
  if (needed > connectionIdleMs && (request.socket.timeout ?? 0) < needed) request.socket.setTimeout(needed)
}
