// A token that was verified, as it is remembered between requests.

import type { RevocableToken } from '../revocation/view.js'
import type { TokenPrincipal } from './principal.js'

/**
 * A token whose signature and claims were right under the keys of `generation`. Its times and its revocation are not
 * settled.
 */
export interface VerifiedToken {
  generation: number
  principal: TokenPrincipal
  revocable: RevocableToken
  /** Epoch milliseconds, leeway included. */
  validFromMs: number
  validUntilMs: number
}
