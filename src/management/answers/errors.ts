// What the refusals of the lower rooms become here. Whatever is not known is passed on as it is, and ends as a 500 that
// says nothing.

import { DirectoryRefusal, refusalKinds } from '../../directory/refusal.js'
import { WebhookRefusal, webhookRefusalKinds } from '../../events/refusal.js'
import { refusal } from '../../gateway/errors.js'
import { ApiError } from '../../http/answers/api-error.js'
import { OAuthError } from '../../oauth/errors/errors.js'
import { CountersUnavailable } from '../../storage/counters/counters.js'
import { InvalidText } from '../../storage/sql/store.js'
import { PasswordQueueFull } from '../../users/credentials/password.js'
import { MailLimitReached, UserRefusal, userRefusalKinds } from '../../users/refusal.js'

const statusOf = { not_found: 404, invalid: 400, forbidden: 403, conflict: 409 } as const

/** The ApiError for a refusal of directory, Store or token endpoint; anything else unchanged. */
export function toApiRefusal(error: unknown): unknown {
  if (error instanceof DirectoryRefusal) {
    const extras = error.target === undefined ? {} : { target: error.target }
    return new ApiError(statusOf[refusalKinds[error.code]], error.code, error.message, extras)
  }
  if (error instanceof UserRefusal) {
    const extras = error.target === undefined ? {} : { target: error.target }
    return new ApiError(statusOf[userRefusalKinds[error.code]], error.code, error.message, extras)
  }
  if (error instanceof WebhookRefusal) {
    const extras = error.target === undefined ? {} : { target: error.target }
    return new ApiError(statusOf[webhookRefusalKinds[error.code]], error.code, error.message, extras)
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
