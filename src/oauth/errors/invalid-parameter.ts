// The refusal of a request whose parameters contradict each other or say what they cannot say.

import { errorNumber } from './error-numbers.js'
import { OAuthError } from './errors.js'

/** RFC 6749 §5.2: `invalid_request`. `description` is safe to send. */
export function invalidParameter(description: string): OAuthError {
  return new OAuthError('invalid_request', description, { number: errorNumber.invalidParameter })
}
