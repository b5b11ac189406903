// The PKCE challenge of a request (RFC 7636 §4.3, RFC 9700 §2.1.1; R11, T14): always for native clients, for web
// clients whose registration says so, and never `plain`.

import type { Registration } from '../../directory/records.js'
import { errorNumber } from '../../oauth/errors/error-numbers.js'
import { OAuthError } from '../../oauth/errors/errors.js'
import type { RequestParameters } from '../../oauth/requests/parameters.js'
import { codeChallengeMethods, isCodeChallenge } from '../../oauth/requests/pkce.js'

/** The S256 challenge, or undefined where none was sent and none is needed. Throws OAuthError `invalid_request`. */
export function readCodeChallenge(
  registration: Pick<Registration, 'type' | 'requirePkce'>,
  parameters: RequestParameters,
): string | undefined {
  const challenge = parameters.get('code_challenge')
  const method = parameters.get('code_challenge_method')
  if (challenge === undefined) {
    if (method !== undefined) throw refusal('There is a code_challenge_method but no code_challenge.')
    if (registration.type === 'native') throw refusal('A native application must send a code_challenge (PKCE).')
    if (registration.requirePkce) throw refusal('This application must send a code_challenge (PKCE).')
    return undefined
  }
  // RFC 7636 §4.3: a missing method means plain, and plain is refused.
  if (method === undefined) throw refusal('code_challenge_method is missing. The only method is S256.')
  if (!codeChallengeMethods.includes(method)) throw refusal('The only code_challenge_method is S256.')
  if (!isCodeChallenge(challenge)) throw refusal('The code_challenge is not a SHA-256 hash in base64url.')
  return challenge
}

function refusal(description: string): OAuthError {
  return new OAuthError('invalid_request', description, { number: errorNumber.badCodeChallenge })
}
