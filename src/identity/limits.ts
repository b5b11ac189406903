// Limits on the OAuth endpoints: per address before anything is read; by address and application for a client that has
// only named itself; by application, tenant and user once these are proved (contract §5, §8: an untrusted party must
// not be able to use up somebody's budget).

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Registration } from '../directory/records.js'
import { requestContext } from '../http/requests/request-context.js'
import type { AddressRefusal } from '../limits/address-guard.js'
import { allowedFields, limitHeaders, retryAfterSeconds } from '../limits/headers.js'
import type { LimitDecision } from '../limits/limiter.js'
import { type RefusingLimit, refusalSentence, refusingLimit } from '../limits/refusal-words.js'
import { errorNumber } from '../oauth/errors/error-numbers.js'
import { OAuthError } from '../oauth/errors/errors.js'
import type { IdentityDependencies } from './dependencies.js'

type Limited = Pick<IdentityDependencies, 'limiter' | 'settings'>

interface Exchange {
  request: FastifyRequest
  reply: FastifyReply
}

/** Charges what counts by address: at once where limits are counted here. Throws, or rejects with, OAuthError 429. */
export function chargeAddress(deps: Limited, request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined {
  const { address, entry } = requestContext(request)
  const decision = deps.limiter.decide(deps.settings.tokenLimits, { address, routeId: entry.route }, 'address')
  if (decision instanceof Promise) return decision.then((late) => settle(late, reply))
  settle(decision, reply)
  return undefined
}

/**
 * Charges a request for its client. One that has proved who it is pays from its own buckets; `for` says whether it acts
 * for itself, or for a person who becomes known later and is charged by chargeUser. One that has only named itself
 * could be anybody: it pays by address, so that an untrusted party takes nothing from the others (contract §8). At once
 * where limits are counted here. Throws, or rejects with, OAuthError 429.
 */
export function chargeClient(
  deps: Limited,
  client: { type: 'native' | 'web'; registration: Registration },
  { request, reply }: Exchange,
  actsFor: 'itself' | 'person',
): Promise<void> | undefined {
  const { address, entry } = requestContext(request)
  const { applicationId, tenantId } = client.registration
  const subject = {
    address,
    applicationId,
    tenantId,
    userId: actsFor === 'itself' ? null : undefined,
    routeId: entry.route,
  }
  const stage = client.type === 'web' ? 'caller' : 'claim'
  // What is left at an address is nothing that a client could plan with.
  const charged = (decision: LimitDecision) => {
    if (stage === 'caller' || !decision.allowed) settle(decision, reply)
  }
  const decision = deps.limiter.decide(deps.settings.tokenLimits, subject, stage)
  if (decision instanceof Promise) return decision.then(charged)
  charged(decision)
  return undefined
}

/**
 * Charges the person for whom a client has shown something good: a code, a refresh token, an access token. Of a client
 * that has proved itself the rest was charged before. The person is noted for the log. Throws OAuthError 429.
 */
export async function chargeUser(
  deps: Limited,
  subject: { registration: Registration; userId: string; tenantId: string; isProved: boolean },
  { request, reply }: Exchange,
): Promise<void> {
  const { address, entry } = requestContext(request)
  const { registration, userId, tenantId, isProved } = subject
  entry.userId = userId
  const { applicationId } = registration
  const who = { address, applicationId, tenantId, userId, routeId: entry.route }
  const names = isProved ? userPolicies(deps.settings) : deps.settings.tokenLimits
  settle(await deps.limiter.decide(names, who, 'caller'), reply)
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
export function throttled(
  retryAfter: number,
  headers: AddressRefusal['headers'] = [],
  limit?: RefusingLimit,
): OAuthError {
  const message = limit === undefined ? 'Too many requests. Try again later.' : refusalSentence(limit)
  return new OAuthError('temporarily_unavailable', message, {
    number: errorNumber.throttled,
    status: 429,
    retryAfterSeconds: retryAfter,
    headers,
  })
}

function settle(decision: LimitDecision, reply: FastifyReply): void {
  if (!decision.allowed) {
    throw throttled(retryAfterSeconds(decision), limitHeaders(decision), refusingLimit(decision))
  }
  const fields = allowedFields(decision)
  for (let i = 0; i < fields.length; i += 2) {
    const [name = '', value] = [fields[i], fields[i + 1]]
    // Both decisions of a request are one list: these are structured fields, which join by comma.
    const before = reply.getHeader(name)
    reply.header(name, before === undefined ? value : `${String(before)}, ${value}`)
  }
}
