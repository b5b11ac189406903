// A token that is refused for a state that can change back: disabled, its credential ended, or a change that this
// instance has not heard of. The others are for ever.

import type { RevocationReason } from '../revocation/view.js'
import type { TokenPrincipal } from './principal.js'
import { RefusedToken } from './refused-token.js'

const states: ReadonlySet<RevocationReason> = new Set([
  'unknown_change',
  'application_disabled',
  'tenant_disabled',
  'user_disabled',
  'credential_expired',
])

/**
 * Says up to which change the token's issuer had heard: more than this instance, and the state here may be an old one.
 */
export class StateRefusal extends RefusedToken {
  readonly seq: number

  constructor(reason: RevocationReason, description: string, seq: number, principal?: TokenPrincipal) {
    super(reason, description, principal)
    this.seq = seq
  }
}

/** Whether this reason can be undone by a later change. */
export function isState(reason: RevocationReason): boolean {
  return states.has(reason)
}
