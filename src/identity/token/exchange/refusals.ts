// The refusals of a token exchange (RFC 8693 §2.2.2): whatever is wrong with a subject token is `invalid_request`.

import { errorNumber } from '../../../oauth/errors/error-numbers.js'
import { OAuthError } from '../../../oauth/errors/errors.js'

/** Of one text for whatever an untrusted party may not learn: unknown, forged, for somebody else (T10). */
export function notThisClients(reason: string): OAuthError {
  return refusedSubject('The subject token is not valid for this client.', errorNumber.invalidSubject, reason)
}

/** An `invalid_request` about the subject token; `reason` is a stable id for the log. */
export function refusedSubject(description: string, number: number, reason?: string): OAuthError {
  return new OAuthError('invalid_request', description, { number, ...(reason === undefined ? {} : { cause: reason }) })
}

/** It was good, and is no more. */
export function subjectExpired(): OAuthError {
  return refusedSubject('The subject token has expired. Exchange one sooner.', errorNumber.subjectExpired)
}
