// Proof Key for Code Exchange (RFC 7636), S256 only.

import { randomText, toBase64url } from '../base64url.js'

/** A new verifier (§4.1) and its challenge (§4.2). */
export async function createPkce(): Promise<{ codeVerifier: string; codeChallenge: string }> {
  const codeVerifier = randomText()
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(codeVerifier))
  return { codeVerifier, codeChallenge: toBase64url(new Uint8Array(hash)) }
}
