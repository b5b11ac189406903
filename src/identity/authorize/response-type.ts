// What a request may ask for: a code, and in words that are read here. Request objects are refused without a look at
// them, so that nobody makes this server fetch anything (R15, OpenID Connect Core §6).

import { errorNumber } from '../../oauth/errors/error-numbers.js'
import { OAuthError } from '../../oauth/errors/errors.js'
import { authorizationSupport } from '../../oauth/requests/authorization-request.js'
import type { RequestParameters } from '../../oauth/requests/parameters.js'

/** Throws OAuthError `request_not_supported` or `request_uri_not_supported`. */
export function refuseRequestObjects(parameters: RequestParameters): void {
  if (parameters.get('request') !== undefined) {
    throw new OAuthError('request_not_supported', 'The parameter request is not read here.', {
      number: errorNumber.requestObject,
    })
  }
  if (parameters.get('request_uri') !== undefined) {
    throw new OAuthError('request_uri_not_supported', 'The parameter request_uri is not read here.', {
      number: errorNumber.requestObject,
    })
  }
}

/**
 * `code` is the only response type; absent it is meant, unless the request is OpenID Connect's, where it is required
 * (contract §4). Throws OAuthError `unsupported_response_type`, `invalid_request`.
 */
export function checkResponseType(requested: string | undefined, scope: readonly string[]): void {
  const [code] = authorizationSupport.response_types_supported
  if (requested === code) return
  if (requested !== undefined) {
    throw new OAuthError('unsupported_response_type', 'The only response_type is code.', {
      number: errorNumber.unsupportedResponseType,
    })
  }
  if (!scope.includes('openid')) return
  throw new OAuthError('invalid_request', 'The request must contain the parameter response_type.', {
    number: errorNumber.missingParameter,
  })
}
