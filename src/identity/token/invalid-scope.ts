// The refusal of a scope list (RFC 6749 §5.2).

import { errorNumber } from '../../oauth/errors/error-numbers.js'
import { OAuthError } from '../../oauth/errors/errors.js'

/** An `invalid_scope` with a sentence that names what is wrong with it. */
export function invalidScope(description: string, number: number = errorNumber.invalidScope): OAuthError {
  return new OAuthError('invalid_scope', description, { number })
}

/** A permission as it may stand in a description: what the client wrote, but not more of it than a permission has. */
export function nameOf(permission: string): string {
  return permission.length <= 128 ? permission : `${permission.slice(0, 125)}...`
}
