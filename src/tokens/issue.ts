// Access tokens as RFC 9068 wants them. No record is kept: what a token allows, and what can end it, is in its claims.

import { longestTokenSeconds } from './claim-rules.js'
import type { AccessTokenClaims } from './claims.js'
import type { Keyring } from './keys/keys.js'
import { signJws, signWrittenJws, type WrittenClaims } from './sign-jws.js'

/** What no two tokens have in common. */
export type OwnClaims = Pick<AccessTokenClaims, 'cid' | 'iat' | 'nbf' | 'exp' | 'jti' | 'seq'>

const type = 'at+jwt'

/**
 * Signs an access token with the key that signs now. Throws when there is none, and when the claims ask for a life
 * longer than a revocation is remembered.
 */
export async function issueAccessToken(
  keyring: Pick<Keyring, 'signingKey'>,
  claims: AccessTokenClaims,
): Promise<string> {
  checkLife(claims)
  return signJws(keyring.signingKey('token'), type, claims)
}

/** The same at once, or for RSA later, with claims of which `written` are all but the token's own. */
export function issueWrittenToken(
  keyring: Pick<Keyring, 'signingKey'>,
  written: WrittenClaims,
  own: OwnClaims,
): string | Promise<string> {
  checkLife(own)
  return signWrittenJws(keyring.signingKey('token'), type, written, own)
}

function checkLife({ iat, exp }: Pick<AccessTokenClaims, 'iat' | 'exp'>): void {
  const life = exp - iat
  if (!(life > 0 && life <= longestTokenSeconds)) throw new RangeError(`an access token cannot live for ${life} s`)
}
