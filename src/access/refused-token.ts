// A token that is refused although its signature and claims are right: for its time, its audience, or because it was
// ended. So it is known whose it is, which the log and the application's owner may hear; the caller does not.

import { BearerError } from '../oauth/errors/errors.js'
import type { TokenPrincipal } from './principal.js'

export class RefusedToken extends BearerError {
  readonly principal: TokenPrincipal | undefined

  constructor(reason: string, description: string, principal: TokenPrincipal | undefined) {
    super('invalid_token', reason, description)
    this.principal = principal
  }
}

/** Too many wrong signatures came from the address of a token whose signature would have to be looked at: 429. */
export class ForgedTooOften extends BearerError {
  readonly retryAfterSeconds: number

  constructor(retryAfterSeconds: number) {
    super('invalid_token', 'forged_too_often', 'The access token was not looked at.')
    this.retryAfterSeconds = retryAfterSeconds
  }
}
