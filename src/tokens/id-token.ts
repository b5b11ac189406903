// ID tokens (OpenID Connect Core §2): what a client is told about a sign-in. They are signed with our token keys, but
// are of the type `JWT`, so that none passes for an access token (RFC 8725 §3.11, J5).

import { createHash } from 'node:crypto'
import { BearerError } from '../oauth/errors/errors.js'
import { isText } from './claim-rules.js'
import type { Keyring, SigningAlgorithm } from './keys/keys.js'
import { signJws } from './sign-jws.js'
import { verifyJws } from './verify.js'

const idTokenType = 'JWT'

export interface IdTokenClaims {
  iss: string
  sub: string
  /** The client identifier as the client presented it (contract §2). */
  aud: string
  iat: number
  exp: number
  /** Epoch seconds. */
  auth_time: number
  acr: string
  amr: readonly string[]
  /** Tenant. */
  tid: string
  nonce?: string | undefined
  /** What `profile`, `email` and `claims` ask. */
  [claim: string]: unknown
}

/** What a hint or an old ID token says about whom it was for. */
export interface IdTokenHint {
  sub: string
  aud: string
  /** Epoch seconds. */
  iat: number
  exp: number
  tid: string | undefined
}

/** Signs an ID token for the access token beside it (`at_hash`, §3.1.3.6). Throws when no key of `alg` signs. */
export async function signIdToken(
  keyring: Pick<Keyring, 'signingKey'>,
  alg: SigningAlgorithm,
  claims: IdTokenClaims,
  accessToken: string,
): Promise<string> {
  const key = keyring.signingKey('token', alg)
  return signJws(key, idTokenType, { ...claims, at_hash: halfHash(key.alg, accessToken) })
}

/**
 * Reads an ID token that a client sends back as a hint. It may have expired (OpenID Connect RP-Initiated Logout §2): it
 * says who was meant, and lets nobody in. Throws BearerError when it is not one that this service signed.
 */
export function readIdTokenHint(keyring: Pick<Keyring, 'verificationKey'>, token: string, issuer: string): IdTokenHint {
  const claims = verifyJws(token, idTokenType.toLowerCase(), (kid) => keyring.verificationKey('token', kid))
  const { iss, sub, aud, iat, exp, tid } = claims
  if (iss !== issuer || !isText(sub) || !isText(aud) || !Number.isSafeInteger(iat) || !Number.isSafeInteger(exp)) {
    throw new BearerError('invalid_token', 'id_token_claims', 'The ID token is not one of this service.')
  }
  return { sub, aud, iat: iat as number, exp: exp as number, tid: isText(tid) ? tid : undefined }
}

/** The left half of the digest of the access token, by the hash of the signature. */
function halfHash(alg: SigningAlgorithm, accessToken: string): string {
  // Ed25519 signs with SHA-512 inside (RFC 8032 §5.1); ES256 and RS256 with SHA-256.
  const digest = createHash(alg === 'EdDSA' ? 'sha512' : 'sha256')
    .update(accessToken, 'ascii')
    .digest()
  return digest.subarray(0, digest.length / 2).toString('base64url')
}
