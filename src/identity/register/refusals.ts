// The refusals of registration: its own words (RFC 7591 §3.2.2), those of a bearer token (RFC 6750 §3), and what the
// rules of the directory become.

import { DirectoryRefusal } from '../../directory/refusal.js'
import { errorNumber } from '../../oauth/errors/error-numbers.js'
import { OAuthError } from '../../oauth/errors/errors.js'
import { InvalidText } from '../../storage/sql/store.js'

/** `invalid_client_metadata`. */
export function badMetadata(description: string, cause?: unknown): OAuthError {
  return new OAuthError('invalid_client_metadata', description, { number: errorNumber.clientMetadata, cause })
}

/** `invalid_redirect_uri`. */
export function badRedirectUri(description: string): OAuthError {
  return new OAuthError('invalid_redirect_uri', description, { number: errorNumber.registeredRedirectUri })
}

/**
 * 401 for a token that is none, or is over; `isBare` for no token at all, which is told which kind is wanted and no
 * error (RFC 6750 §3.1). The reason is for the log.
 */
export function badToken(reason: string, isBare = false): OAuthError {
  const description = 'The token for registering is not valid.'
  const details = isBare ? '' : `, error="invalid_token", error_description="${description}"`
  return new OAuthError('invalid_token', description, {
    number: errorNumber.registrationToken,
    headers: [['www-authenticate', `Bearer realm="portcullis"${details}`]],
    cause: reason,
  })
}

/** What the directory refused, in the words of registration; anything else unchanged. */
export function toRegistrationRefusal(error: unknown): unknown {
  if (error instanceof InvalidText) return badMetadata('A text contains what cannot be stored.', error)
  if (!(error instanceof DirectoryRefusal)) return error
  if (error.code === 'RegistrationTokenNotFound') return badToken('registration_token_spent')
  // The token was made for a tenant that is disabled, or gone, since then.
  if (error.code === 'NotInstallable' || error.code === 'TenantNotFound') return badToken('tenant_disabled')
  if (error.code === 'InvalidRedirectUri' && error.target === 'redirectUris') return badRedirectUri(error.message)
  const member = error.target === undefined ? undefined : members.get(error.target)
  return badMetadata(member === undefined ? error.message : `${member}: ${error.message}`)
}

/** The standard's names of the directory's fields. */
const members = new Map([
  ['name', 'client_name'],
  ['logoutRedirectUris', 'post_logout_redirect_uris'],
  ['jwks', 'jwks'],
  ['permissions', 'scope'],
])
