// The tables of people: who they are, how they prove it, which tenants they belong to. Text ids, epoch milliseconds and
// integer flags, as in tables.ts, which takes these in. What is secret is kept as a hash or sealed; see each comment.

/** A person. The id is the public `sub`, the same in every token. */
interface UsersTable {
  id: string
  /** As the person writes it; may be empty for one who came from an external provider. */
  email: string
  /** What it is found by: lower case, NFC; unique. Null without an address. */
  email_key: string | null
  email_verified: number
  name: string
  /** enabled | disabled */
  state: string
  /** `local`, or the name of the external provider that the person came from. */
  id_provider: string
  /** argon2id, encoded with its parameters. Null: no password. */
  password_hash: string | null
  password_changed_at: number | null
  /** The seed of the second factor, sealed under a key derived from the master key. Null: none. */
  totp_secret: string | null
  /** The time step of the last accepted code, so that none is accepted twice. */
  totp_last_step: number | null
  created_at: number
  updated_at: number
  last_sign_in_at: number | null
  /** 1: looks after the whole installation, its tenants and keys; only the local socket or another operator says so. */
  operator: number
  /** Since when they have known that they need a second factor; a grace period counts from here. Null: never told. */
  factor_demanded_at: number | null
  /** The tag of the language that they want to read; empty: they did not say. */
  language: string
  /** 1: they take mail about what waits for them; 0: only about what happened to their account. */
  work_mail: number
}

interface MembershipsTable {
  user_id: string
  tenant_id: string
  /** owner | administrator | developer | member */
  role: string
  created_at: number
  updated_at: number
}

/** A WebAuthn credential. */
interface PasskeysTable {
  /** base64url. */
  credential_id: string
  user_id: string
  /** COSE key, base64url. */
  public_key: string
  counter: number
  /** JSON list. */
  transports: string
  name: string
  created_at: number
  last_used_at: number | null
}

/** Codes for a lost second factor, each good once. */
interface RecoveryCodesTable {
  /** Hex HMAC-SHA-256 under a key derived from the master key. */
  hash: string
  user_id: string
  used_at: number | null
}

/** A person at an external OpenID provider; linked by issuer and subject, never by e-mail address. */
interface ExternalIdentitiesTable {
  issuer: string
  subject: string
  user_id: string
  provider: string
  created_at: number
}

/** Links that work once: the first owner, invitations, new passwords. */
interface OneTimeLinksTable {
  /** Hex SHA-256 of the 256 random bits in the link. */
  hash: string
  /** set-up | invitation | password-reset; an invitation with a `user_id` is one to come in through a provider. */
  purpose: string
  tenant_id: string | null
  user_id: string | null
  email: string | null
  role: string | null
  created_by: string
  created_at: number
  expires_at: number
  used_at: number | null
}

/** A signed-in browser. */
interface SessionsTable {
  /** Hex SHA-256 of the 256 random bits in the cookie. */
  id_hash: string
  user_id: string
  created_at: number
  last_seen_at: number
  /** Its absolute end. */
  expires_at: number
  /** When the person last proved who they are (`auth_time`). */
  authenticated_at: number
  acr: string
  /** JSON list of RFC 8176 values. */
  amr: string
  /** For people, in the list of their sessions. */
  user_agent: string
  address: string
  /** password | passkey | provider:NAME; empty: from before it was noted. */
  sign_in_way: string
}

/**
 * Half a sign-in, while the second factor is requested. Older rows are other things that a browser was in the middle
 * of.
 */
interface PendingRequestsTable {
  /** Hex SHA-256 of the id in the address. */
  id_hash: string
  /** Hex SHA-256 of the browser's own cookie: nobody else's browser goes on with it. */
  browser_hash: string
  /** second-factor */
  kind: string
  application_id: string | null
  /** JSON. */
  body: string
  created_at: number
  expires_at: number
}

/** How far the ledger was read for notices: what was told is not told again, whichever instance leads. One row. */
interface NoticeCursorTable {
  /** 1 */
  id: number
  /** Of the last row that was read. */
  position: number
}

/** A notice that the mail server has not taken yet. */
interface WaitingNoticesTable {
  /** Of the event in the ledger. */
  position: number
  user_id: string
  /** Where its reader read mail when it happened: an intruder who changes the address afterwards gets none of these. */
  email: string
  /** The tag of the reader's language, empty: they did not say. */
  language: string
  /** sign-in | work | address | an event of an account: what is counted together. */
  kind: string
  created_at: number
  /** How often it was begun to be sent. */
  attempts: number
  /** When it is due; while it is being sent, when that counts as lost. */
  next_at: number
}

/** Their part of the tables. */
export interface PeopleTables {
  notice_cursor: NoticeCursorTable
  waiting_notices: WaitingNoticesTable
  users: UsersTable
  memberships: MembershipsTable
  passkeys: PasskeysTable
  recovery_codes: RecoveryCodesTable
  external_identities: ExternalIdentitiesTable
  one_time_links: OneTimeLinksTable
  sessions: SessionsTable
  pending_requests: PendingRequestsTable
}
