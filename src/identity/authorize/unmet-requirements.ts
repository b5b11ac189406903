// What a client is told whose demand for an `acr` cannot be met (OpenID Connect Unmet Authentication Requirements 1.0).

import { errorNumber } from '../../oauth/error-numbers.js'
import { OAuthError } from '../../oauth/errors.js'

/** Nobody can reach it here, or whoever signed in cannot. */
export function unmetRequirements(): OAuthError {
  const what = 'The person cannot sign in with the acr that was demanded.'
  return new OAuthError('unmet_authentication_requirements', what, { number: errorNumber.unmetRequirements })
}
