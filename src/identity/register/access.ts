// The token of a registration request: in the Authorization header and nowhere else, and not guessed at without end
// (K7).

import type { FastifyRequest } from 'fastify'
import { requestContext } from '../../http/requests/request-context.js'
import { errorNumber } from '../../oauth/errors/error-numbers.js'
import { BearerError, OAuthError } from '../../oauth/errors/errors.js'
import { readBearer } from '../../oauth/requests/bearer.js'
import type { IdentityDependencies } from '../dependencies.js'
import { throttled } from '../limits.js'
import { badToken } from './refusals.js'

type Deps = Pick<IdentityDependencies, 'activity' | 'failedAuthentications'>

/**
 * The token that was sent, whatever it is worth. `countedAs`: what the failures of an address are counted under. Throws
 * OAuthError 400, 401, and 429 after too many failures.
 */
export function presentedToken(deps: Deps, request: FastifyRequest, countedAs: string): string {
  const { address, target } = requestContext(request)
  const { blocked, retryAfterSeconds } = deps.failedAuthentications.check(address, countedAs)
  if (blocked) throw throttled(retryAfterSeconds)
  try {
    return readBearer(request.raw.rawHeaders, target.ok ? target.query : undefined)
  } catch (error) {
    if (!(error instanceof BearerError)) throw error
    if (error.code !== 'invalid_request') throw badToken(error.reason, error.code === 'no_token')
    throw new OAuthError('invalid_request', error.message, {
      number: errorNumber.registrationToken,
      cause: error.reason,
    })
  }
}

/** Counts and notes a failure, and answers the refusal. */
export function refuseToken(
  deps: Deps,
  request: FastifyRequest,
  failed: { countedAs: string; reason: string; applicationId?: string | undefined; tenantId?: string | undefined },
): OAuthError {
  const { address, requestId } = requestContext(request)
  const { countedAs, reason, applicationId, tenantId } = failed
  deps.failedAuthentications.record(address, countedAs)
  deps.activity.note({
    event: 'client.registration-refused',
    applicationId,
    tenantId,
    requestId,
    address,
    details: { reason },
  })
  return badToken(reason)
}
