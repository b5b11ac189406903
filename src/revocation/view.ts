// What the other rooms ask about revocation. The room keeps, in every instance, the whole answer in memory: exact,
// current to a change number, and aware of its own age. It knows tokens by what they claim, never by their text.

import type { RevocationKind } from '../storage/changes/feed.js'

/** What the view needs to know of a token. */
export interface RevocableToken {
  jti: string
  credentialId: string
  grantId?: string
  applicationId: string
  userId?: string
  tenantId: string
  seq: number
  /** What it was exchanged for: it ends with each of them. */
  parents?: readonly RevocableToken[]
}

/** Why a token is refused; a stable id for log and metric. */
export type RevocationReason =
  | 'unknown_change'
  | 'token_revoked'
  | 'credential_revoked'
  | 'credential_expired'
  | 'grant_revoked'
  | 'holder_revoked'
  | 'application_revoked'
  | 'application_disabled'
  | 'user_revoked'
  | 'user_disabled'
  | 'tenant_revoked'
  | 'tenant_disabled'

/** In memory, exact, synchronous: the hot path asks it on every request. */
export interface RevocationView {
  /** Why this token is refused now, or undefined. `nowMs` is epoch milliseconds (for a credential's end only). */
  refusal(token: RevocableToken, nowMs: number): RevocationReason | undefined
  /** The change number up to which the view is complete; the `seq` of tokens signed now. */
  readonly seq: number
  /** True when neither poll nor publication succeeded for the configured time; then nobody may be let in on it. */
  isStale(): boolean
  /** Whether a revocation of exactly this subject is still held, whomever it refuses. */
  holds(what: RevocationKind, id: string): boolean
  /**
   * Every single token whose revocation ends after this (epoch ms) was taken in, and is held until it is over for
   * certain.
   */
  readonly tokensAfterMs: number
  readonly entries: number
}
