// The identity that the gate tells an upstream: a short-lived JWT of its own type, signed with a key that signs nothing
// else, so that it can never pass for an access token, nor an access token for it (RFC 8725 §3.11, §3.12).

import type { AssertionClaims } from './claims.js'
import type { Keyring } from './keys/keys.js'
import { signJws } from './sign-jws.js'

/** The `typ` of an assertion. */
export const assertionType = 'portcullis-assertion+jwt'

/** Signs an assertion with the assertion key that signs now. Throws when there is none. */
export function signAssertion(keyring: Pick<Keyring, 'signingKey'>, claims: AssertionClaims): string | Promise<string> {
  return signJws(keyring.signingKey('assertion'), assertionType, claims)
}
