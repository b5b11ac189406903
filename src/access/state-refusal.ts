// A token that is refused for a state that can change back: disabled, or its credential ended. The others are for ever.

import { BearerError } from '../oauth/errors.js'
import type { RevocationReason } from '../revocation/view.js'

const states: ReadonlySet<RevocationReason> = new Set([
  'application_disabled',
  'tenant_disabled',
  'user_disabled',
  'credential_expired',
])

/** Says up to which change the token's issuer had heard: more than this instance, and the state here may be an old one. */
export class StateRefusal extends BearerError {
  readonly seq: number

  constructor(reason: RevocationReason, description: string, seq: number) {
    super('invalid_token', reason, description)
    this.seq = seq
  }
}

/** Whether this reason can be undone by a later change. */
export function isState(reason: RevocationReason): boolean {
  return states.has(reason)
}
