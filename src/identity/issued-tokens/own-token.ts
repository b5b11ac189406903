// A token that a client sends back to us, to revoke it or to ask about it: is it one of ours, whole, and this client's
// own? Anything else is nothing, without a reason, so that nobody can use these endpoints to try out tokens (RFC 7009
// §2.1, RFC 7662 §4).

import { parentsOf } from '../../access/token-principal.js'
import type { Registration } from '../../directory/records.js'
import type { RevocableToken } from '../../revocation/view.js'
import type { GrantRow } from '../../storage/sql/grants/grants.js'
import type { RefreshTokenRow } from '../../storage/sql/grants/refresh-tokens.js'
import type { AccessTokenClaims } from '../../tokens/claims.js'
import { verifyAccessToken } from '../../tokens/verify.js'
import type { IdentityDependencies } from '../dependencies.js'
import { findRefreshToken } from '../refresh-family.js'
import { verified } from '../token/verified.js'

type TokenReading = Pick<IdentityDependencies, 'keyring' | 'settings' | 'now' | 'revalidation'>

/**
 * The claims of an unexpired access token that was issued to this client, revoked or not; undefined for everything
 * else. Throws OAuthError 503 when another instance may have signed it, and nobody can tell now.
 */
export async function findOwnToken(
  deps: TokenReading,
  registration: Registration,
  token: string,
): Promise<AccessTokenClaims | undefined> {
  const claims = await readToken(deps, token)
  return claims?.client_id === registration.applicationId ? claims : undefined
}

/**
 * The grant of a refresh token that was issued to this client, used or not, whatever has become of it, with the token's
 * row; undefined for everything else. Throws StoreUnavailable.
 */
export async function findOwnGrant(
  deps: Pick<IdentityDependencies, 'store' | 'derive'>,
  registration: Registration,
  token: string,
): Promise<{ grant: GrantRow; token: RefreshTokenRow } | undefined> {
  const found = await findRefreshToken(deps, token)
  return found?.grant.application_id === registration.applicationId ? found : undefined
}

/** What the revocation view needs to know of a token. */
export function revocable(claims: AccessTokenClaims): RevocableToken {
  const { jti, cid, client_id, tid, seq, gid, sub, via } = claims
  const user = gid === undefined ? {} : { grantId: gid, userId: sub }
  const token = { jti, credentialId: cid, applicationId: client_id, tenantId: tid, seq, ...user }
  return via === undefined ? token : { ...token, parents: parentsOf(token, via) }
}

function readToken(deps: TokenReading, token: string): Promise<AccessTokenClaims | undefined> {
  const { keyring, settings, now } = deps
  const { leewaySeconds } = settings.tokens
  const options = () => ({ keyring, issuer: settings.server.baseUrl, leewaySeconds, nowMs: now() })
  return verified(deps, () => verifyAccessToken(token, options()))
}
