// What the refusals of the lower rooms become here. Whatever is not known is passed on as it is, and ends as a 500 that
// says nothing.

import { refusal } from '../../gateway/errors.js'
import { ApiError } from '../../http/answers/api-error.js'
import { OAuthError } from '../../oauth/errors/errors.js'
import { Refusal } from '../../oauth/errors/refusal.js'
import { CountersUnavailable } from '../../storage/counters/counters.js'
import { InvalidText } from '../../storage/sql/store.js'
import { PasswordQueueFull } from '../../users/credentials/password.js'
import { MailLimitReached } from '../../users/refusal.js'

/** The ApiError for a refusal of directory, Store or token endpoint; anything else unchanged. */
export function toApiRefusal(error: unknown): unknown {
  if (error instanceof Refusal) {
    const { status, code, message, target } = error
    return new ApiError(status, code, message, target === undefined ? {} : { target })
  }
  if (error instanceof PasswordQueueFull) {
    const headers = { 'retry-after': '1' }
    return new ApiError(503, 'ServiceUnavailable', 'Too many passwords are being checked.', { headers, cause: error })
  }
  if (error instanceof MailLimitReached) {
    const headers = { 'retry-after': String(error.retryAfterSeconds) }
    return new ApiError(429, 'MailLimitReached', error.message, { headers, cause: error })
  }
  if (error instanceof InvalidText) {
    return new ApiError(400, 'InvalidText', 'A text contains what cannot be stored.', { cause: error })
  }
  if (error instanceof CountersUnavailable) return refusal('limits_unknown', error).error
  if (error instanceof OAuthError) return fromOAuthError(error)
  return error
}

/** `invalid_scope` becomes `InvalidScope`; what helps to fix it goes along. */
function fromOAuthError(error: OAuthError): ApiError {
  const code = error.code.replace(/(?:^|_)([a-z])/g, (_match, letter: string) => letter.toUpperCase())
  const more = {
    error_codes: [error.number],
    ...(error.suberror === undefined ? {} : { suberror: error.suberror }),
    ...(error.consentUri === undefined ? {} : { consent_uri: error.consentUri }),
  }
  const wait = error.retryAfterSeconds === undefined ? {} : { 'retry-after': String(error.retryAfterSeconds) }
  const headers = { ...Object.fromEntries(error.headers), ...wait }
  return new ApiError(error.status, code, error.description, { more, headers, cause: error })
}
