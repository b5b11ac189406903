// Token revocation (RFC 7009, contract §3): a client ends a token of its own. 200 says that it is durable and that this
// instance already refuses the token; what is not known, or another's, is answered alike and nothing happens.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { type RequestParameters, requireParameter } from '../oauth/parameters.js'
import { revoke } from '../revocation/revoke.js'
import { authenticateClient } from './client-authentication.js'
import type { IdentityDependencies } from './dependencies.js'
import { chargeClient } from './limits.js'
import { originOf } from './origin.js'
import { findOwnToken } from './own-token.js'

/**
 * Answers a revocation request; the answer has no body. `token_type_hint` may say anything: there is one kind of token
 * (RFC 7009 §2.1 lets us ignore it). Throws OAuthError, StoreUnavailable when it is not durable.
 */
export async function answerRevocationRequest(
  deps: IdentityDependencies,
  parameters: RequestParameters,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<undefined> {
  const { registration } = await authenticateClient(deps, parameters, request)
  await chargeClient(deps, registration, request, reply)
  const claims = await findOwnToken(deps, registration, requireParameter(parameters, 'token'))
  if (claims === undefined) return
  const { applicationId } = registration
  const origin = originOf(request, { kind: 'application', applicationId })
  // Also when this instance refuses it already: whoever repeats was not told that all others do, or asks another instance.
  await revoke(
    { ...deps.writes, feed: deps.feed, ...origin },
    {
      ...{ what: 'token', id: claims.jti, tokenExpiresAt: claims.exp * 1000 },
      about: { applicationId, tenantId: claims.tid, userId: claims.idtyp === 'user' ? claims.sub : undefined },
    },
  )
  deps.metrics.revocations.inc({ kind: 'token' })
}
