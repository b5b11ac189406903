// Every table, in one place. Text ids and JSON, bigint epoch milliseconds, integer flags: the subset that SQLite and
// PostgreSQL share. What is secret is kept as a keyed hash or encrypted; see each comment. How long rows stay:
// retention.ts.

import type { NewOriginTables } from '../registrations/redirect-origins/new-origin-tables.js'
import type { AddressTables } from './address-rows.js'
import type { ApiTables } from './api-rows.js'
import type { DecisionTables } from './decision-rows.js'
import type { DelegationTables } from './delegation-rows.js'
import type { LedgerTables } from './ledger-rows.js'
import type { OwnerTables } from './owner-rows.js'
import type { PeopleTables } from './people-rows.js'
import type { RegistrationTables } from './registration-rows.js'
import type { SingleUseTables } from './single-use-rows.js'
import type { UsageTables } from './usage-rows.js'
import type { WebhookTables } from './webhook-rows.js'

/** Which migrations this file has been through; see migrate.ts. */
interface SchemaMigrationsTable {
  version: number
  name: string
  applied_at: number
}

/** One row: the number of the newest change. Its row lock makes commit order the sequence. */
interface FeedHeadTable {
  id: number
  seq: number
}

/** Numbers that the log never gave: above `after_seq` and below `until_seq`. Pruned after the longest token life. */
interface FeedGapsTable {
  until_seq: number
  after_seq: number
  at: number
}

/**
 * The change log that every instance follows. `body` is the JSON of a ChangeEntry. Pruned after the longest token life.
 */
interface ChangesTable {
  seq: number
  at: number
  body: string
}

interface TenantsTable {
  id: string
  name: string
  /** enabled | disabled */
  state: string
  created_at: number
  updated_at: number
  /** allowed | administrators: who may consent to delegated permissions that need no administrator by themselves. */
  user_consent: string
  /** allowed | verified: whether that goes for applications of other tenants whose publisher nobody verified. */
  foreign_consent: string
  /** allowed | off: whether people of the tenant may allow devices. */
  device_codes: string
  /** any | secondFactor: what changes of weight ask of administrators. */
  administrators: string
}

interface ApplicationsTable {
  /** The application identifier (GUID). */
  id: string
  /** The second, equal client identifier `pcl_pk_…`; unique. */
  public_key: string
  /** Home tenant. */
  tenant_id: string
  name: string
  /** web | native */
  type: string
  /** enabled | disabled */
  state: string
  /** home | any: which tenants may install it. */
  audience: string
  created_at: number
  updated_at: number
  /** 1: a web application too must send a PKCE challenge. */
  require_pkce: number
  /** secret | private_key_jwt: the one way in which a web application proves who it is. */
  auth_method: string
  /** JSON Web Key Set of its public keys, for private_key_jwt. */
  jwks: string | null
  /** RS256 | ES256 | EdDSA */
  id_token_alg: string
  /** Who publishes it, for the consent page; empty: nobody said. */
  publisher: string
  /** 1: an operator has verified the publisher. */
  verified: number
  /** The id of the person or application that registered it; empty: the local socket, or nobody knows. */
  created_by: string
  /** allowed | off: whether it may ask for device codes. */
  device_codes: string
  /** JSON of directory/applications/redirect-epochs.ts; empty: no origin came later than the registration. */
  redirect_epochs: string
}

interface ApplicationSecretsTable {
  key_id: string
  application_id: string
  label: string
  /** First three characters of the random part, to recognise it by. */
  hint: string
  /** Hex HMAC-SHA-256 of the whole secret under the pepper `pepper_id`. */
  hash: string
  pepper_id: string
  starts_at: number
  ends_at: number
  last_used_at: number | null
  created_at: number
}

interface RedirectUrisTable {
  application_id: string
  /** redirect | admin-consent | logout */
  purpose: string
  uri: string
}

interface ConfiguredPermissionsTable {
  application_id: string
  /** application | delegated */
  kind: string
  resource: string
  permission_id: string
}

interface InstallationsTable {
  application_id: string
  tenant_id: string
  created_at: number
  /** Up to which epoch of its redirect URIs an administrator there was asked. */
  redirect_epoch: number
}

/** Administrator consent: what an installed application may do in a tenant. */
interface PermissionGrantsTable {
  application_id: string
  tenant_id: string
  kind: string
  resource: string
  permission_id: string
  granted_at: number
  granted_by: string
}

/** Durable revocations; a row dies when no token that it names can be alive. */
interface RevocationsTable {
  /** token | credential | grant | holder | application | user | tenant */
  what: string
  id: string
  seq: number
  at: number
  expires_at: number
  /** Whose token or grant it is; null where that was not known. The person is null for an application's own, too. */
  tenant_id: string | null
  application_id: string | null
  user_id: string | null
}

interface SigningKeysTable {
  kid: string
  /** token | assertion */
  purpose: string
  alg: string
  /** pending | active | retiring | removed */
  state: string
  public_jwk: string
  /** The private JWK, AES-256-GCM under a key derived from the master key; see tokens/keys/key-encryption.ts. */
  private_jwk: string
  created_at: number
  /** When a pending key may start to sign. */
  activates_at: number
  /** When a retiring key leaves the set. */
  removes_at: number | null
}

interface ProfilesTable {
  id: string
  tenant_id: string
  /** The user whose profile it is; null for the tenant's own, which app-only tokens see. */
  user_id: string | null
  public_name: string
  id_provider: string
  email: string
  cover_url: string
  avatar_url: string
  follows_count: number
  followers_count: number
  enrollments_count: number
  social_profile_id: string
  cart_id: string
  wallet_id: string
  currency_id: string
  currency_exchange: number
  updated_at: number
}

interface SubscriptionsTable {
  id: string
  tenant_id: string
  subscription_id: string
  display_name: string
  state: string
  /** Grows by one at each write; the ETag. */
  version: number
  created_at: number
  updated_at: number
}

interface ResourceGroupsTable {
  id: string
  tenant_id: string
  /** One group for each subscription record. */
  subscription_record_id: string
  name: string
  location: string
  provisioning_state: string
  updated_at: number
}

/**
 * The instances that follow the change log; see storage/changes/acknowledgements.ts. A row whose instance died is
 * pruned.
 */
interface InstancesTable {
  id: string
  started_at: number
  seen_at: number
  /** The newest change that it has applied. */
  applied_seq: number
  /** For people. */
  name: string
}

/** Who does what only one instance does at a time, until when by the clocks of those who ask. */
interface LeasesTable {
  name: string
  holder: string
  ends_at: number
}

/** The tables by name; the type parameter of every query. */
export interface Tables
  extends AddressTables,
    ApiTables,
    PeopleTables,
    DelegationTables,
    LedgerTables,
    OwnerTables,
    NewOriginTables,
    RegistrationTables,
    UsageTables,
    DecisionTables,
    WebhookTables,
    SingleUseTables {
  schema_migrations: SchemaMigrationsTable
  feed_head: FeedHeadTable
  feed_gaps: FeedGapsTable
  changes: ChangesTable
  tenants: TenantsTable
  applications: ApplicationsTable
  application_secrets: ApplicationSecretsTable
  redirect_uris: RedirectUrisTable
  configured_permissions: ConfiguredPermissionsTable
  installations: InstallationsTable
  permission_grants: PermissionGrantsTable
  revocations: RevocationsTable
  signing_keys: SigningKeysTable
  profiles: ProfilesTable
  subscriptions: SubscriptionsTable
  resource_groups: ResourceGroupsTable
  instances: InstancesTable
  leases: LeasesTable
}
