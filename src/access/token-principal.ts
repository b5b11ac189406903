// From a token's claims to the caller, and from the caller to what the revocation view asks about.

import type { RevocableToken } from '../revocation/view.js'
import type { AccessTokenClaims, ParentToken } from '../tokens/claims.js'
import type { TokenPrincipal } from './principal.js'

/**
 * The caller that verified claims describe, signed with the key `keyId`. `idtyp` alone decides the kind: an app token's
 * permissions are its `roles`, a user token's its `scope`, never the other (contract §5).
 */
export function tokenPrincipal(claims: AccessTokenClaims, keyId: string): TokenPrincipal {
  const common = {
    applicationId: claims.client_id,
    tenantId: claims.tid,
    resource: claims.aud,
    issuedAt: claims.iat,
    expiresAt: claims.exp,
    jti: claims.jti,
    credentialId: claims.cid,
    seq: claims.seq,
    keyId,
    // From the start, so that all principals have one shape.
    uses: undefined,
    assertions: undefined,
    issuer: undefined,
    via: claims.via,
    authTime: claims.auth_time,
    acr: claims.acr,
  }
  if (claims.idtyp === 'app') return { kind: 'application', ...common, permissions: new Set(claims.roles ?? []) }
  const permissions = new Set(claims.scope.split(' ').filter((id) => id !== ''))
  return { kind: 'delegated', ...common, permissions, userId: claims.sub, grantId: claims.gid ?? '' }
}

/** What RevocationView.refusal needs to know of a caller; ask again while a stream of this caller stays open. */
export function revocableToken(principal: TokenPrincipal): RevocableToken {
  const { jti, credentialId, applicationId, tenantId, seq } = principal
  const token = { jti, credentialId, applicationId, tenantId, seq }
  if (principal.kind === 'application') return token
  const { userId, grantId, via } = principal
  const whole = { ...token, userId, grantId }
  return via === undefined ? whole : { ...whole, parents: parentsOf(whole, via) }
}

/** What the view has to know of the tokens that a token was exchanged for. */
export function parentsOf(token: RevocableToken, via: readonly ParentToken[]): readonly RevocableToken[] {
  return via.map(({ client_id, jti, cid, seq }) => ({
    ...token,
    jti,
    credentialId: cid,
    applicationId: client_id,
    seq,
  }))
}
