// Token introspection (RFC 7662, contract §3): a web client asks about a token of its own. Anything else about which it may
// ask nothing, or that is not live now, is exactly {"active":false} (RFC 7662 §2.2).

import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { errorNumber } from '../oauth/error-numbers.js'
import { OAuthError } from '../oauth/errors.js'
import { type RequestParameters, requireParameter } from '../oauth/parameters.js'
import type { AccessTokenClaims } from '../tokens/claims.js'
import { authenticateClient } from './client-authentication.js'
import type { IdentityDependencies } from './dependencies.js'
import { chargeClient } from './limits.js'
import { findOwnToken, revocable } from './own-token.js'
import { checkViewIsFresh } from './view-freshness.js'

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
  await chargeClient(deps, client.registration, request, reply)
  if (client.type !== 'web') {
    // A native client has only named itself; RFC 7662 §2.1 wants whoever asks to be authorized.
    throw new OAuthError('unauthorized_client', 'Only an application that authenticates may ask about tokens.', {
      number: errorNumber.clientCannotAuthenticate,
    })
  }
  const claims = await findOwnToken(deps, client.registration, requireParameter(parameters, 'token'))
  checkViewIsFresh(deps.view)
  return claims !== undefined && isLive(deps, claims) ? describe(claims) : { active: false }
}

/** Stricter than the gate, which grants a leeway for clocks: whoever reads `exp` must not find it in the past. */
function isLive({ view, now }: IdentityDependencies, claims: AccessTokenClaims): boolean {
  const nowMs = now()
  return claims.exp * 1000 > nowMs && view.refusal(revocable(claims), nowMs) === undefined
}

function describe(claims: AccessTokenClaims): Introspection {
  const { scope, client_id, exp, iat, nbf, sub, aud, iss, jti, tid, idtyp, roles } = claims
  const described = { active: true, scope, client_id, token_type: 'Bearer' as const, exp, iat, nbf, sub, aud, iss, jti }
  return { ...described, tid, idtyp, ...(roles === undefined ? {} : { roles: [...roles] }) }
}
