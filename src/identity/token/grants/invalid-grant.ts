// The refusal of a code or a refresh token (RFC 6749 §5.2).

import { errorNumber } from '../../../oauth/errors/error-numbers.js'
import { OAuthError } from '../../../oauth/errors/errors.js'

/** An `invalid_grant`; `reason` is a stable id for the log, where it says more than the number. */
export function invalidGrant(description: string, number: number, reason?: string): OAuthError {
  return new OAuthError('invalid_grant', description, { number, ...(reason === undefined ? {} : { cause: reason }) })
}

/** Of one text for whatever an untrusted party may not learn: unknown, malformed, another client's (T10, S5). */
export function notThisClients(reason: string): OAuthError {
  const description = 'The code or token is not valid for this client.'
  return invalidGrant(description, errorNumber.invalidGrant, reason)
}

/** The grant was ended. */
export function grantEnded(): OAuthError {
  return invalidGrant('The grant has ended. The person has to sign in again.', errorNumber.grantEnded)
}
