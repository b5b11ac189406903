// How the answer comes back (OAuth 2.0 Multiple Response Types §2.1, OAuth 2.0 Form Post Response Mode; R16). A
// fragment is for tokens, of which there are none here.

import { invalidParameter } from '../../oauth/errors/invalid-parameter.js'
import { authorizationSupport, type ResponseMode } from '../../oauth/requests/authorization-request.js'
import type { VerifiedRedirectUri } from '../../oauth/requests/redirect-uri.js'

/**
 * The mode that was requested, or `query`. Throws OAuthError `invalid_request` for one that is not served, and for a
 * form that could not be sent: to an address of a private-use scheme.
 */
export function readResponseMode(requested: string | undefined, redirectUri: VerifiedRedirectUri): ResponseMode {
  if (requested === undefined) return 'query'
  const mode = authorizationSupport.response_modes_supported.find((served) => served === requested)
  if (mode === undefined) throw invalidParameter('The response_mode is not served here. Use query or form_post.')
  if (mode === 'form_post' && !/^https?:/.test(redirectUri)) {
    throw invalidParameter('A form can be posted to an http or https address only. Use response_mode=query.')
  }
  return mode
}
