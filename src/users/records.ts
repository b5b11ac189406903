// People as the other rooms see them, and how they come out of their rows. Types and the reading of rows only.

import type { Role } from '../config/settings/settings.js'
import { type Language, languageOfTag } from '../languages/language.js'
import type { MembershipRow } from '../storage/sql/people/memberships.js'
import type { SessionRow } from '../storage/sql/people/sessions.js'
import type { UserRow } from '../storage/sql/people/users.js'

export interface User {
  /** The public `sub`, the same in every token. */
  userId: string
  /** As the person writes it; empty for one who came from a provider that told none. */
  email: string
  emailVerified: boolean
  name: string
  state: 'enabled' | 'disabled'
  /** `local`, or the name of the external provider that the person came from. */
  idProvider: string
  hasPassword: boolean
  hasSecondFactor: boolean
  /** Looks after the whole installation: its tenants, its keys. */
  isOperator: boolean
  /** The language of pages and mails for them; null: they did not say. */
  language: Language | null
  createdAt: number
  updatedAt: number
  lastSignInAt: number | null
  /** Whether they take mail about what waits for them. */
  takesWorkMail: boolean
}

export interface Membership {
  userId: string
  tenantId: string
  role: Role
  createdAt: number
}

/** A signed-in browser. */
export interface Session {
  /** Hex SHA-256 of what the cookie says; it names the session in lists. */
  idHash: string
  userId: string
  /** When the person last proved who they are, epoch seconds (`auth_time`). */
  authTime: number
  /** The same in epoch milliseconds: two proofs within a second are two. */
  authenticatedAt: number
  /** `1`: one factor, `2`: two. Decision 0008. */
  acr: string
  /** RFC 8176. */
  amr: readonly string[]
  /** `password`, `passkey` or `provider:NAME`; empty: it is older than this is noted. */
  way: string
  createdAt: number
  lastSeenAt: number
  /** Its absolute end. */
  expiresAt: number
  userAgent: string
  address: string
}

/** A user from the row. Whatever is not plainly enabled is disabled. */
export function toUser(row: UserRow): User {
  return {
    userId: row.id,
    email: row.email,
    emailVerified: Number(row.email_verified) === 1,
    name: row.name,
    state: row.state === 'enabled' ? 'enabled' : 'disabled',
    idProvider: row.id_provider,
    isOperator: Number(row.operator) === 1,
    language: languageOfTag(row.language) ?? null,
    hasPassword: row.password_hash !== null,
    hasSecondFactor: row.totp_secret !== null,
    createdAt: Number(row.created_at),
    updatedAt: Number(row.updated_at),
    lastSignInAt: row.last_sign_in_at === null ? null : Number(row.last_sign_in_at),
    takesWorkMail: Number(row.work_mail) === 1,
  }
}

/** A membership from its row. Whatever is no role of ours is the least. */
export function toMembership(row: MembershipRow): Membership {
  const known = ['owner', 'administrator', 'developer'] as const
  return {
    userId: row.user_id,
    tenantId: row.tenant_id,
    role: known.find((role) => role === row.role) ?? 'member',
    createdAt: Number(row.created_at),
  }
}

/** A session from its row. */
export function toSession(row: SessionRow): Session {
  return {
    idHash: row.id_hash,
    userId: row.user_id,
    authTime: Math.floor(Number(row.authenticated_at) / 1000),
    authenticatedAt: Number(row.authenticated_at),
    acr: row.acr,
    amr: JSON.parse(row.amr) as string[],
    way: row.sign_in_way,
    createdAt: Number(row.created_at),
    lastSeenAt: Number(row.last_seen_at),
    expiresAt: Number(row.expires_at),
    userAgent: row.user_agent,
    address: row.address,
  }
}
