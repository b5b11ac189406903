// Token revocation (RFC 7009, contract §3): a client ends a token of its own. 200 says that it is durable and that this
// instance already refuses the token; what is not known, or another's, is answered alike and nothing happens.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { writesAs } from '../../directory/actor.js'
import { type RequestParameters, requireParameter } from '../../oauth/requests/parameters.js'
import { endGrants } from '../../revocation/end-grants.js'
import { revoke } from '../../revocation/revoke.js'
import type { GrantRow } from '../../storage/sql/grants/grants.js'
import { originOf } from '../../web/origin.js'
import { authenticateClient } from '../client/client-authentication.js'
import { allowOrigin } from '../cors.js'
import type { IdentityDependencies } from '../dependencies.js'
import { chargeClient } from '../limits.js'
import { findOwnGrant, findOwnToken } from './own-token.js'
import { chargeRevocation } from './revocation-limit.js'

/**
 * Answers a revocation request; the answer has no body. `token_type_hint` may say anything: what a token is, is seen
 * from the token (RFC 7009 §2.1 lets us ignore it). A refresh token ends its grant, and with it every token of it (V3);
 * an access token ends alone. Throws OAuthError, StoreUnavailable when it is not durable.
 */
export async function answerRevocationRequest(
  deps: IdentityDependencies,
  parameters: RequestParameters,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<undefined> {
  const client = await authenticateClient(deps, parameters, request)
  const { registration } = client
  allowOrigin(registration, request, reply)
  await chargeClient(deps, client, { request, reply }, 'itself')
  const token = requireParameter(parameters, 'token')
  const { applicationId } = registration
  const writes = writesAs(deps.writes, originOf(request, { kind: 'application', applicationId }))
  const own = await findOwnGrant(deps, registration, token)
  if (own !== undefined) {
    await chargeRevocation(deps, { sub: own.grant.user_id, tid: own.grant.tenant_id }, registration)
    return endGrant(deps, writes, own.grant)
  }
  const claims = await findOwnToken(deps, registration, token)
  if (claims === undefined) return
  await chargeRevocation(deps, claims, registration)
  // Also when this instance refuses it already: a caller that repeats the request got no confirmation that all others
  // do, or comes to another instance.
  await revoke(writes, {
    what: 'token',
    id: claims.jti,
    tokenExpiresAt: claims.exp * 1000,
    about: { applicationId, tenantId: claims.tid, userId: claims.idtyp === 'user' ? claims.sub : undefined },
  })
}

/** Ends it, or says once more that it has ended, for the same reason. */
async function endGrant(
  deps: IdentityDependencies,
  writes: IdentityDependencies['writes'],
  grant: GrantRow,
): Promise<undefined> {
  const nowMs = deps.now()
  const filter = { grantId: grant.id }
  const { result } = await deps.feed.commit((tx, record) =>
    endGrants(writes, { tx, record, nowMs }, filter, 'refresh-token-revoked'),
  )
  const about = { applicationId: grant.application_id, tenantId: grant.tenant_id, userId: grant.user_id }
  if (result === 0) await revoke(writes, { what: 'grant', id: grant.id, about })
}
