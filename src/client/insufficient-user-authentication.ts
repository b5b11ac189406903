// The refusal of RFC 9470: the token is good, and the sign-in behind it is too old or too weak.

import { ResourceRefusal } from './errors.js'

/** 401: the person has to sign in again, as `maxAge` and `acrValues` of an authorization request say (RFC 9470 §3). */
export class InsufficientUserAuthentication extends ResourceRefusal {
  /** Seconds. */
  readonly maxAge: number | undefined
  /** Separated by spaces. */
  readonly acrValues: string | undefined

  constructor(
    message: string,
    response: Response,
    details: { maxAge: number | undefined; acrValues: string | undefined },
  ) {
    super('insufficient_user_authentication', message, response)
    this.maxAge = details.maxAge
    this.acrValues = details.acrValues
  }
}
