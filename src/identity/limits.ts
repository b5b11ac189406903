// Limits on the OAuth endpoints: per address before anything is read, per application and tenant once the client is known
// (contract §5: a stranger must not be able to use up somebody's budget).

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Registration } from '../directory/records.js'
import { requestContext } from '../http/request-context.js'
import type { AddressRefusal } from '../limits/address-guard.js'
import { limitHeaders, retryAfterSeconds } from '../limits/headers.js'
import type { LimitDecision } from '../limits/limiter.js'
import { errorNumber } from '../oauth/error-numbers.js'
import { OAuthError } from '../oauth/errors.js'
import type { IdentityDependencies } from './dependencies.js'

type Limited = Pick<IdentityDependencies, 'limiter' | 'settings'>

/** Charges what counts by address. Throws OAuthError 429. */
export async function chargeAddress(deps: Limited, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { address, route: routeId } = requestContext(request)
  settle(await deps.limiter.decide(deps.settings.tokenLimits, { address, routeId }, 'address'), reply)
}

/** Charges what counts by application and tenant, for an authenticated client. Throws OAuthError 429. */
export async function chargeClient(
  deps: Limited,
  registration: Registration,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { address, route: routeId } = requestContext(request)
  const { applicationId, tenantId } = registration
  const subject = { address, applicationId, tenantId, routeId }
  settle(await deps.limiter.decide(deps.settings.tokenLimits, subject, 'caller'), reply)
}

/**
 * Charges what counts by user, when the person is known; what counts by application was charged before. The person is
 * noted for the log. Throws OAuthError 429.
 */
export async function chargeUser(
  deps: Limited,
  subject: { registration: Registration; userId: string; tenantId: string },
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
): Promise<void> {
  const facts = requestContext(request)
  const { registration, userId, tenantId } = subject
  facts.userId = userId
  const { applicationId } = registration
  const { address, route: routeId } = facts
  const who = { address, applicationId, tenantId, userId, routeId }
  settle(await deps.limiter.decide(userPolicies(deps.settings), who, 'caller'), reply)
}

/** The same array each time: the limiter compiles it once. */
const userPolicyLists = new WeakMap<readonly string[], readonly string[]>()

function userPolicies({ tokenLimits, limits }: Limited['settings']): readonly string[] {
  const known = userPolicyLists.get(tokenLimits)
  if (known !== undefined) return known
  const names = tokenLimits.filter((name) => limits.get(name)?.by.includes('user') === true)
  userPolicyLists.set(tokenLimits, names)
  return names
}

/** The refusal of a request that came too often. */
export function throttled(retryAfter: number, headers: AddressRefusal['headers'] = []): OAuthError {
  return new OAuthError('temporarily_unavailable', 'Too many requests. Try again later.', {
    number: errorNumber.throttled,
    status: 429,
    retryAfterSeconds: retryAfter,
    headers,
  })
}

function settle(decision: LimitDecision, reply: FastifyReply): void {
  const headers = limitHeaders(decision)
  if (!decision.allowed) throw throttled(retryAfterSeconds(decision), headers)
  for (const [name, value] of headers) {
    // Both decisions of a request are one list: these are structured fields, which join by comma.
    const before = reply.getHeader(name)
    reply.header(name, before === undefined ? value : `${String(before)}, ${value}`)
  }
}
