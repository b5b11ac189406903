// Proof Key for Code Exchange (RFC 7636), S256 only: `plain` would send the verifier itself past everybody who sees the
// address, and a missing method means `plain` (RFC 9700 §2.1.1).

import { createHash, timingSafeEqual } from 'node:crypto'

/** The values of `code_challenge_method` that are served, for the metadata. */
export const codeChallengeMethods: readonly string[] = ['S256']

/** A SHA-256 in base64url has 43 characters, whose last one carries two bits that are always zero. */
const challengePattern = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/
const verifierPattern = /^[A-Za-z0-9._~-]{43,128}$/

/** Whether the text can be an S256 challenge (RFC 7636 §4.2). */
export function isCodeChallenge(text: string): boolean {
  return challengePattern.test(text)
}

/** Whether the text can be a verifier (RFC 7636 §4.1): 43 to 128 unreserved characters. */
export function isCodeVerifier(text: string): boolean {
  return verifierPattern.test(text)
}

/**
 * Whether the verifier belongs to the challenge (RFC 7636 §4.6), compared in constant time. False for anything
 * malformed.
 */
export function matchesCodeChallenge(verifier: string, challenge: string): boolean {
  if (!isCodeVerifier(verifier) || !isCodeChallenge(challenge)) return false
  const made = createHash('sha256').update(verifier, 'ascii').digest()
  return timingSafeEqual(made, Buffer.from(challenge, 'base64url'))
}
