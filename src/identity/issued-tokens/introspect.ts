// Token introspection (RFC 7662, contract §3): a web client asks about a token of its own. Anything else about which it
// may ask nothing, or that is not live now, is exactly {"active":false} (RFC 7662 §2.2).

import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { StateRefusal } from '../../access/state-refusal.js'
import { remainingWords } from '../../directory/consents/remaining-words.js'
import { errorNumber } from '../../oauth/errors/error-numbers.js'
import { OAuthError } from '../../oauth/errors/errors.js'
import { type RequestParameters, requireParameter } from '../../oauth/requests/parameters.js'
import { isUnregisteredClientId } from '../../oauth/secrets/document-application-id.js'
import type { AccessTokenClaims } from '../../tokens/claims.js'
import { authenticateClient } from '../client/client-authentication.js'
import type { IdentityDependencies } from '../dependencies.js'
import { unavailable } from '../errors.js'
import { chargeClient } from '../limits.js'
import { refreshStatus } from '../token/grants/refresh-successor.js'
import { checkViewIsFresh } from '../view-freshness.js'
import { findOwnGrant, findOwnToken, revocable } from './own-token.js'

/** RFC 7662 §2.2. Everything but `active` is absent for a token that is not active. */
export const Introspection = Type.Object({
  active: Type.Boolean(),
  scope: Type.Optional(Type.String()),
  client_id: Type.Optional(Type.String()),
  token_type: Type.Optional(Type.Literal('Bearer')),
  exp: Type.Optional(Type.Integer()),
  iat: Type.Optional(Type.Integer()),
  nbf: Type.Optional(Type.Integer()),
  sub: Type.Optional(Type.String()),
  aud: Type.Optional(Type.String()),
  iss: Type.Optional(Type.String()),
  jti: Type.Optional(Type.String()),
  tid: Type.Optional(Type.String()),
  idtyp: Type.Optional(Type.String()),
  roles: Type.Optional(Type.Array(Type.String())),
  /** RFC 8693 §4.1, as the token has it. */
  act: Type.Optional(Type.Object({ sub: Type.String() }, { additionalProperties: true })),
})
export type Introspection = Static<typeof Introspection>

/** Answers an introspection request. Throws OAuthError (503 while the revocation view is stale), StoreUnavailable. */
export async function answerIntrospectionRequest(
  deps: IdentityDependencies,
  parameters: RequestParameters,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Introspection> {
  const client = await authenticateClient(deps, parameters, request)
  await chargeClient(deps, client, { request, reply }, 'itself')
  if (client.type !== 'web') {
    // A native client has only named itself; RFC 7662 §2.1 wants the caller to be authorized.
    throw new OAuthError('unauthorized_client', 'Only an application that authenticates may ask about tokens.', {
      number: errorNumber.clientCannotAuthenticate,
    })
  }
  const token = requireParameter(parameters, 'token')
  const own = await findOwnGrant(deps, client.registration, token)
  const claims = own === undefined ? await findOwnToken(deps, client.registration, token) : undefined
  checkViewIsFresh(deps.view)
  if (own !== undefined) return describeRefreshToken(deps, own)
  if (claims !== undefined) await lookForChange(deps, claims)
  return claims !== undefined && isLive(deps, claims) ? describe(claims) : { active: false }
}

/**
 * A token of another instance may name a change that is not known here yet. Throws OAuthError 503 when nobody can tell.
 */
async function lookForChange({ view, revalidation }: IdentityDependencies, { seq }: AccessTokenClaims): Promise<void> {
  if (seq <= view.seq) return
  try {
    await revalidation.after(
      new StateRefusal('unknown_change', 'The token names a change that is not known here.', seq),
    )
  } catch (error) {
    throw unavailable('The service cannot tell now whether this token is active.', error)
  }
}

/** Stricter than the gate, which grants a leeway for clocks: a caller that reads `exp` must not find it in the past. */
function isLive({ view, now }: IdentityDependencies, claims: AccessTokenClaims): boolean {
  const nowMs = now()
  return claims.exp * 1000 > nowMs && view.refusal(revocable(claims), nowMs) === undefined
}

function describe(claims: AccessTokenClaims): Introspection {
  const { scope, client_id, exp, iat, nbf, sub, aud, iss, jti, tid, idtyp, roles, act } = claims
  const client = { client_id: claims.client_url ?? client_id }
  const described = { active: true, scope, ...client, token_type: 'Bearer' as const, exp, iat, nbf, sub, aud, iss, jti }
  const delegation = act === undefined ? {} : { act }
  return { ...described, tid, idtyp, ...(roles === undefined ? {} : { roles: [...roles] }), ...delegation }
}

/**
 * Only the newest one of a living grant could be exchanged; one that is sent again within its grace is not told apart.
 */
function describeRefreshToken(
  { view, now, settings }: IdentityDependencies,
  { grant, token }: NonNullable<Awaited<ReturnType<typeof findOwnGrant>>>,
): Introspection {
  const nowMs = now()
  const { id: grantId, user_id: userId, application_id: applicationId, tenant_id: tenantId } = grant
  // As new as can be: only who is disabled refuses it, because what was revoked has ended the grant.
  const subject = { jti: grantId, credentialId: 'none', grantId, userId, applicationId, tenantId, seq: view.seq }
  const isUsable = refreshStatus(grant, token, { nowMs, graceMs: 0 }) === 'first'
  if (!isUsable || view.refusal(subject, nowMs) !== undefined) return { active: false }
  return {
    active: true,
    scope: remainingWords(`${grant.permissions} ${grant.openid_scopes}`, grant.withdrawn).join(' '),
    client_id: isUnregisteredClientId(grant.client_identifier) ? grant.client_identifier : applicationId,
    exp: Math.floor(Math.min(Number(grant.idle_expires_at), Number(grant.expires_at)) / 1000),
    iat: Math.floor(Number(token.created_at) / 1000),
    sub: userId,
    iss: settings.server.baseUrl,
    tid: tenantId,
    idtyp: 'user',
  }
}
