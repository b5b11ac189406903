// The tables of what comes with registering by standard: who may register, who may change what was registered so, and
// the outside issuers that applications trust instead of a secret. tables.ts takes these in.

/** An initial access token (RFC 7591 §1.2): leave to register some applications in a tenant. */
interface RegistrationTokensTable {
  id: string
  /** Hex SHA-256. */
  hash: string
  tenant_id: string
  label: string
  /** The id of the person or application that made it; empty: the local socket. */
  created_by: string
  /** JSON list of permission references: the most that an application so registered may be configured with. */
  permissions: string
  uses_left: number
  created_at: number
  expires_at: number
}

/** What only an application that registered itself has (RFC 7592). */
interface ClientRegistrationsTable {
  application_id: string
  /** Hex SHA-256 of its registration access token. */
  token_hash: string
  /** Of the one before, until the newer one is used: an answer may be lost. */
  previous_hash: string | null
  /** The initial access token that it came by. */
  registration_token_id: string
  /** JSON list: the grants that it said it would use, and no others are served to it. */
  grant_types: string
  /**
   * JSON list of permission references: the most that it may ask to be configured with, as the initial access token
   * said.
   */
  permissions: string
  /** client_secret_basic | client_secret_post | private_key_jwt | none: as it was said, to be said again. */
  auth_method: string
  /** web | native */
  application_type: string
  updated_at: number
}

/** Whose tokens prove that somebody is the application: an issuer, a subject and an audience, each exactly. */
interface FederatedCredentialsTable {
  /** `fed_` and base62, made here; tokens name it in `cid`. */
  id: string
  application_id: string
  name: string
  issuer: string
  subject: string
  audience: string
  /** JSON Web Key Set of the issuer; null: fetched from the issuer. */
  jwks: string | null
  created_at: number
  last_used_at: number | null
}

/** Their part of the tables. */
export interface RegistrationTables {
  registration_tokens: RegistrationTokensTable
  client_registrations: ClientRegistrationsTable
  federated_credentials: FederatedCredentialsTable
}
