// The tables of delegation: what people allowed applications to do for them, and the codes and refresh tokens that come
// of it. Codes and tokens are 256 random bits or more, kept as SHA-256; tables.ts takes these in.

import type { Generated } from 'kysely'

/** What a person allowed an application in a tenant: exactly these permissions, each a row. */
interface UserConsentsTable {
  user_id: string
  application_id: string
  tenant_id: string
  resource: string
  /** A delegated permission, or one of OpenID Connect's words with the resource `openid`. */
  permission_id: string
  granted_at: number
  /** When it is over; null: when it is withdrawn. */
  ends_at: number | null
  /** once | day: what was chosen where it has an end. */
  lasts: string | null
}

/** Somebody asks an administrator to consent. */
interface ConsentRequestsTable {
  id: string
  application_id: string
  tenant_id: string
  requested_by: string
  /** JSON list of permission references. */
  permissions: string
  reason: string
  /** pending | approved | declined */
  state: string
  created_at: number
  decided_at: number | null
  decided_by: string | null
}

/** One act of authorization, the root of its code, its refresh tokens and its access tokens (`gid`). */
interface GrantsTable {
  id: string
  /** code | device */
  origin: string
  user_id: string
  application_id: string
  tenant_id: string
  resource: string
  /** Space separated plain ids, as granted. */
  permissions: string
  /** Space separated words of OpenID Connect. */
  openid_scopes: string
  /** As the client named itself when it redeemed: the ID token's `aud`. Empty until then. */
  client_identifier: string
  /** JSON of what the ID token repeats: nonce, auth_time, acr, amr, claims. */
  authentication: string
  /** active | ended */
  state: string
  created_at: number
  ended_at: number | null
  /** Where its refresh tokens stand; the number of the newest. */
  refresh_sequence: number
  /** When the newest refresh token ends if nobody uses it, and when all of them end. 0: there are none. */
  idle_expires_at: number
  expires_at: number
  /** When the person said that it is over; null: they said nothing. */
  ends_at: number | null
  /** Space separated: those of `permissions` and `openid_scopes` that the person took away since. They never come back. */
  withdrawn: Generated<string>
}

interface AuthorizationCodesTable {
  /** Hex SHA-256. */
  hash: string
  grant_id: string
  application_id: string
  redirect_uri: string
  /** Empty: none was sent. */
  code_challenge: string
  created_at: number
  expires_at: number
  redeemed_at: number | null
}

/** Every refresh token of a living grant, so that an old one is known when it comes back. */
interface RefreshTokensTable {
  /** Hex SHA-256. */
  hash: string
  grant_id: string
  sequence: number
  created_at: number
  /** When it was first exchanged for its successor. */
  used_at: number | null
}

interface DeviceCodesTable {
  /** Hex SHA-256. */
  device_hash: string
  /** Hex HMAC-SHA-256 under a key derived from the master key: a user code is short. Unique among those alive. */
  user_code_hash: string
  application_id: string
  /** JSON of the validated request. */
  body: string
  /** pending | approved | denied | redeemed */
  state: string
  user_id: string | null
  grant_id: string | null
  interval_seconds: number
  last_polled_at: number
  created_at: number
  expires_at: number
}

/** What an application that serves an API got for a person, on the calls of another application. */
interface TokenExchangesTable {
  user_id: string
  tenant_id: string
  application_id: string
  /** Of the application whose calls they were. */
  caller_id: string
  /** What the tokens were for. */
  resource: string
  /** Space separated plain ids: all that it got so far. */
  permissions: string
  first_at: number
  /** To about a minute. */
  last_at: number
}

/** Their part of the tables. */
export interface DelegationTables {
  user_consents: UserConsentsTable
  consent_requests: ConsentRequestsTable
  grants: GrantsTable
  authorization_codes: AuthorizationCodesTable
  refresh_tokens: RefreshTokensTable
  device_codes: DeviceCodesTable
  token_exchanges: TokenExchangesTable
}
