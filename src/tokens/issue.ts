// Access tokens as RFC 9068 wants them. No record is kept: what a token allows, and what can end it, is in its claims.

import { SignJWT } from 'jose'
import { longestTokenSeconds } from './claim-rules.js'
import type { AccessTokenClaims } from './claims.js'
import type { Keyring } from './keys/keys.js'

/**
 * Signs an access token with the key that signs now. Throws when there is none, and when the claims ask for a life
 * longer than a revocation is remembered.
 */
export async function issueAccessToken(
  keyring: Pick<Keyring, 'signingKey'>,
  claims: AccessTokenClaims,
): Promise<string> {
  const life = claims.exp - claims.iat
  if (!(life > 0 && life <= longestTokenSeconds)) throw new RangeError(`an access token cannot live for ${life} s`)
  const key = keyring.signingKey('token')
  return new SignJWT({ ...claims })
    .setProtectedHeader({ alg: key.alg, typ: 'at+jwt', kid: key.kid })
    .sign(key.privateKey)
}
