// The ID token that came with an access token (OpenID Connect Core §3.1.3.7). It came from the token endpoint over TLS,
// which stands for its signature (item 6); who it is for and what it answers is checked here.

import { textOfBase64url } from '../base64url.js'
import { ClientError } from '../errors.js'

const leewaySeconds = 120

/** Its claims. `nonce` is that of the request, when it had one. Throws ClientError `id_token_invalid`. */
export function checkedClaims(
  idToken: string,
  expected: { issuer: string; clientId: string; nonce: string | undefined; nowMs: number },
): Readonly<Record<string, unknown>> {
  const claims = decoded(idToken)
  const { iss, aud, azp, exp, nonce } = claims
  const audiences = Array.isArray(aud) ? aud : [aud]
  const wrong =
    (iss !== expected.issuer && 'issuer') ||
    (!audiences.includes(expected.clientId) && 'audience') ||
    (azp !== undefined && azp !== expected.clientId && 'authorized party') ||
    ((typeof exp !== 'number' || exp + leewaySeconds < expected.nowMs / 1000) && 'end') ||
    (expected.nonce !== undefined && nonce !== expected.nonce && 'nonce')
  if (wrong) throw new ClientError('id_token_invalid', `the ID token has another ${wrong} than this request`)
  return claims
}

function decoded(idToken: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(textOfBase64url(idToken.split('.')[1] ?? ''))
    if (typeof value === 'object' && value !== null) return { ...value }
  } catch {}
  throw new ClientError('id_token_invalid', 'the ID token cannot be read')
}
