// A token that a client sends back to us, to revoke it or to ask about it: is it one of ours, whole, and this client's own?
// Anything else is nothing, without a reason, so that nobody can use these endpoints to try out tokens (RFC 7009 §2.1,
// RFC 7662 §4).

import type { Registration } from '../directory/records.js'
import { BearerError } from '../oauth/errors.js'
import type { RevocableToken } from '../revocation/view.js'
import type { AccessTokenClaims } from '../tokens/claims.js'
import { verifyAccessToken } from '../tokens/verify.js'
import type { IssuingDependencies } from './dependencies.js'

/** The claims of an unexpired access token that was issued to this client, revoked or not; undefined for everything else. */
export function findOwnToken(
  deps: Pick<IssuingDependencies, 'keyring' | 'settings' | 'now'>,
  registration: Registration,
  token: string,
): AccessTokenClaims | undefined {
  const claims = readToken(deps, token)
  return claims?.client_id === registration.applicationId ? claims : undefined
}

/** What the revocation view needs to know of a token. */
export function revocable(claims: AccessTokenClaims): RevocableToken {
  const { jti, cid, client_id, tid, seq, gid, sub } = claims
  const user = gid === undefined ? {} : { grantId: gid, userId: sub }
  return { jti, credentialId: cid, applicationId: client_id, tenantId: tid, seq, ...user }
}

function readToken(
  { keyring, settings, now }: Pick<IssuingDependencies, 'keyring' | 'settings' | 'now'>,
  token: string,
): AccessTokenClaims | undefined {
  const { leewaySeconds } = settings.tokens
  try {
    return verifyAccessToken(token, { keyring, issuer: settings.server.baseUrl, leewaySeconds, nowMs: now() })
  } catch (error) {
    if (error instanceof BearerError) return undefined
    throw error
  }
}
