// The transport of the public listener: for callers with an access token for the own API. The same refusals as at the
// gate, in the same words, and the same limits as at the token endpoint.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Authenticator } from '../../access/authenticate.js'
import type { TokenPrincipal } from '../../access/principal.js'
import { ForgedTooOften } from '../../access/refused-token.js'
import type { Settings } from '../../config/settings/settings.js'
import { bearerRefusal, forgedTooOften } from '../../gateway/bearer-errors.js'
import { refusal } from '../../gateway/errors.js'
import { tooManyRequests } from '../../gateway/limit-refusals.js'
import type { ApiError } from '../../http/answers/api-error.js'
import { requestContext } from '../../http/requests/request-context.js'
import { limitHeaders } from '../../limits/headers.js'
import type { LimitDecision, Limiter } from '../../limits/limiter.js'
import { BearerError } from '../../oauth/errors/errors.js'
import type { RevocationView } from '../../revocation/view.js'

export interface PublicTransportDependencies {
  settings: Pick<Settings, 'catalogue' | 'tokenLimits' | 'server'>
  authenticator: Authenticator
  view: Pick<RevocationView, 'isStale'>
  limiter: Limiter
}

/** `principalOf` for the public listener. Throws ApiError 400, 401, 429 and 503. */
export function publicTransport(
  deps: PublicTransportDependencies,
): (request: FastifyRequest, reply: FastifyReply) => Promise<TokenPrincipal> {
  const { limiter, settings } = deps
  return async (request, reply) => {
    const facts = requestContext(request)
    facts.entry.route = `management ${request.routeOptions.url ?? ''}`
    const routeId = facts.entry.route
    settle(await limiter.decide(settings.tokenLimits, { address: facts.address, routeId }, 'address'), reply)
    const principal = await authenticate(deps, request)
    facts.entry.applicationId = principal.applicationId
    const userId = principal.kind === 'delegated' ? principal.userId : null
    if (userId !== null) facts.entry.userId = userId
    const { applicationId, tenantId } = principal
    const subject = { address: facts.address, applicationId, tenantId, userId, routeId }
    settle(await limiter.decide(settings.tokenLimits, subject, 'caller'), reply)
    return principal
  }
}

async function authenticate(deps: PublicTransportDependencies, request: FastifyRequest): Promise<TokenPrincipal> {
  if (deps.view.isStale()) throw refusal('view_stale').error
  const first = tryToken(deps, request)
  if (!(first instanceof BearerError)) return first
  const again = (await lookAgain(deps, first)) ? tryToken(deps, request) : first
  if (again instanceof BearerError) throw denied(deps, again, request)
  return again
}

async function lookAgain({ authenticator }: PublicTransportDependencies, error: BearerError): Promise<boolean> {
  try {
    return (await authenticator.revalidate(error)) === true
  } catch (cause) {
    throw refusal('view_stale', cause).error
  }
}

function tryToken(deps: PublicTransportDependencies, request: FastifyRequest): TokenPrincipal | BearerError {
  const { target } = requestContext(request)
  const { rawHeaders } = request.raw
  const origin = { raw: request.raw, facts: requestContext(request) }
  try {
    const resource = deps.settings.catalogue.own.id
    return deps.authenticator.authenticate(rawHeaders, target.ok ? target.query : undefined, resource, origin)
  } catch (error) {
    if (error instanceof BearerError) return error
    throw error
  }
}

function denied({ settings }: PublicTransportDependencies, error: BearerError, request: FastifyRequest): ApiError {
  requestContext(request).entry.reason = error.reason
  if (error instanceof ForgedTooOften) return forgedTooOften(error.retryAfterSeconds).error
  return bearerRefusal(error, settings.catalogue.own.id, settings.server.baseUrl).error
}

function settle(decision: LimitDecision, reply: FastifyReply): void {
  const headers = limitHeaders(decision)
  if (!decision.allowed) throw tooManyRequests(decision).error
  for (const [name, value] of headers) {
    const before = reply.getHeader(name)
    reply.header(name, before === undefined ? value : `${String(before)}, ${value}`)
  }
}
