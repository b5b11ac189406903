// What the other rooms know of the ledger: what can be written down, by whom, and how. The room keeps an append-only
// chain of what was done (chain.ts) and a capped log of what was tried (activity.ts). It decides nothing about who may
// do what, and knows no HTTP.

import type { Statements } from '../storage/sql/store.js'
import type { AuditEventName } from './names/event-names.js'

/** Who did it. */
export type Actor =
  | { kind: 'user'; userId: string }
  | { kind: 'application'; applicationId: string }
  /** The holder of an initial access token (RFC 7591). */
  | { kind: 'registration-token'; registrationTokenId: string }
  /** A caller at the local socket. */
  | { kind: 'operator' }
  /** Time: a key that was due, a secret that ended. */
  | { kind: 'system' }

/** Who does something and where from: what every event of one request has in common. */
export interface Origin {
  actor: Actor
  requestId?: string | undefined
  /** The client's address, as far as it is trusted. */
  address?: string | undefined
}

/**
 * Something that was done: `<subject>.<what happened>`, such as `consent.granted`, `secret.created`, `user.signed-in`.
 */
export interface LedgerEvent extends Origin {
  event: AuditEventName
  tenantId?: string | undefined
  applicationId?: string | undefined
  /** Whom it concerns, when that is a person. */
  userId?: string | undefined
  /** What changed, in plain JSON; differences as `{before, after}`. Never a secret, a code, a token or a link. */
  details?: Readonly<Record<string, unknown>> | undefined
  /** To which tenants the person belonged, where their memberships end with this. */
  formerTenantIds?: readonly string[] | undefined
}

/**
 * Events about a person, of no tenant, that the tenants to which the person belongs see too (decision 118). What is not
 * here is for operators: that somebody became one, for example.
 */
export const memberEvents: ReadonlySet<string> = new Set([
  ...['user.signed-in', 'user.signed-out', 'session.ended', 'user.sign-in-failed', 'user.sign-in-delayed'],
  ...['user.disabled', 'user.enabled', 'user.deleted', 'user.changed', 'user.email-asked', 'user.revoked'],
  ...['user.password-changed', 'user.password-change-failed', 'user.second-factor-added'],
  ...['user.second-factor-removed', 'user.recovery-codes-renewed', 'user.recovery-code-used'],
  ...['user.passkey-added', 'user.passkey-removed', 'user.passkey-renamed', 'user.provider-linked'],
  ...['user.provider-unlinked', 'user.ways-in-removed', 'link.created', 'link.used'],
])

export interface Ledger {
  /**
   * Writes an event as part of the transaction that does what it says: both happen or neither. It locks the head of the
   * chain until the transaction ends, so call it last, and only after the change log's head was locked (Feed.commit) or
   * in a transaction that never locks that: one order of locks for everybody.
   */
  append(tx: Statements, event: LedgerEvent): Promise<void>
}

/** What the activity log takes; its names are those of event-names.ts. */
export type Attempt = Omit<LedgerEvent, 'actor' | 'event'> & {
  event: `${string}.${string}`
  actor?: Actor | undefined
}

/** What failed or was refused: a wrong password, a wrong secret, a forged form. Never waited for, never in the way. */
export interface Activity {
  note(event: Attempt): void
  /** Writes what was noted. */
  flush(): Promise<void>
}
