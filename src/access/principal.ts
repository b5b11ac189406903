// Who is calling. The one decision function takes a Principal, whichever transport it came through.

import type { ParentToken } from '../tokens/claims.js'
import type { HeldAssertions } from './held-assertions.js'
import type { TokenUses } from './token-uses.js'

/** An application acting as itself: a verified app token. */
export interface ApplicationPrincipal {
  kind: 'application'
  applicationId: string
  tenantId: string
  resource: string
  permissions: ReadonlySet<string>
  /** Epoch seconds. */
  issuedAt: number
  expiresAt: number
  jti: string
  credentialId: string
  seq: number
  /** Of the key that signed the token. */
  keyId: string
  /** The name of the issuer outside that made the token; absent: this server did. */
  issuer?: string | undefined
  /** What the token was exchanged for, the latest first; absent: it was not. Only where it acts for a person. */
  via?: readonly ParentToken[] | undefined
  /** Where calls with this token are counted, once there was one; see usage-counts.ts. */
  uses?: TokenUses | undefined
  /** What services were told about this caller, once one was; the same for all tokens of theirs. */
  assertions?: HeldAssertions | undefined
}

/** An application acting for a signed-in user: a verified user token. */
export interface DelegatedPrincipal extends Omit<ApplicationPrincipal, 'kind'> {
  kind: 'delegated'
  userId: string
  grantId: string
  /** When the person signed in, epoch seconds; undefined: the token does not say. */
  authTime?: number | undefined
  /** How: `2` is two factors. */
  acr?: string | undefined
}

/** The local socket: anybody who may open data/admin.sock may read the data folder, so it may do everything. */
export interface LocalPrincipal {
  kind: 'local'
}

/** Somebody who is signed in at the portal, in one of their tenants. */
export interface SessionPrincipal {
  kind: 'session'
  /** Which of their sessions; the id may be another one by now, the time (epoch milliseconds) is not. */
  session: { idHash: string; createdAt: number }
  userId: string
  tenantId: string
  /** The own API. */
  resource: string
  /** The delegated permissions of that API that their role there allows. */
  permissions: ReadonlySet<string>
  /** When they signed in, epoch seconds. */
  authTime: number
  /** How: `2` is two factors. */
  acr: string
}

export type TokenPrincipal = ApplicationPrincipal | DelegatedPrincipal
export type Principal = TokenPrincipal | SessionPrincipal | LocalPrincipal
