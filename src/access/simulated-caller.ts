// Somebody who would call: an application, as itself or for a person, and what a token of theirs would be now. Types
// only; who explains a decision asks for it, and who issues tokens answers.

import type { Registration } from '../directory/records.js'
import type { OAuthError } from '../oauth/errors/errors.js'
import type { TokenPrincipal } from './principal.js'

export interface SimulatedCaller {
  registration: Registration
  /** Lower-case GUID; undefined: the home tenant. */
  tenantId: string | undefined
  /** For whom it acts; undefined: as itself. */
  userId: string | undefined
  /** The scope list that it would ask for; undefined: all that it may have of `resource`. */
  scope: string | undefined
  resource: string
}

export type SimulatedToken =
  | { kind: 'granted'; principal: TokenPrincipal }
  /** What the token endpoint would say; `reason` as in its log. */
  | { kind: 'refused'; error: OAuthError; reason: string }
