// Every table: those of one subject in a file beside this one, the others here. Text ids and JSON, bigint epoch
// milliseconds, integer flags: the subset that SQLite and PostgreSQL share. What is secret is kept as a keyed hash or
// encrypted; see each comment. How long rows stay: retention.ts.

import type { CallApprovalTables } from '../grants/call-approval-tables.js'
import type { BrandTables } from '../registrations/brands/brand-tables.js'
import type { DeletedTables } from '../registrations/deleted/deleted-tables.js'
import type { DocumentTables } from '../registrations/documents/document-tables.js'
import type { PlanTables } from '../registrations/plans/plan-tables.js'
import type { NewOriginTables } from '../registrations/redirect-origins/new-origin-tables.js'
import type { ToolRuleTables } from '../registrations/tools/tool-rule-tables.js'
import type { DefinitionTables } from '../tool-definitions/definition-table.js'
import type { UsageDayTables } from '../usage/usage-day-tables.js'
import type { AddressTables } from './address-rows.js'
import type { ApiTables } from './api-rows.js'
import type { ApplicationTables } from './application-rows.js'
import type { ClusterTables } from './cluster-rows.js'
import type { DecisionTables } from './decision-rows.js'
import type { DelegationTables } from './delegation-rows.js'
import type { LedgerTables } from './ledger-rows.js'
import type { OwnerTables } from './owner-rows.js'
import type { PeopleTables } from './people-rows.js'
import type { RegistrationTables } from './registration-rows.js'
import type { ResourceTables } from './resource-rows.js'
import type { SingleUseTables } from './single-use-rows.js'
import type { UsageTables } from './usage-rows.js'
import type { WebhookTables } from './webhook-rows.js'

/** Which migrations this file has been through; see migrate.ts. */
interface SchemaMigrationsTable {
  version: number
  name: string
  applied_at: number
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
  /** none | owner | administrator | developer | member: the least role that needs a second factor there. */
  second_factor: string
  /** allowed | owners: who signs in with a password or a passkey of this server. */
  own_sign_in: string
  /** JSON list of the names of the providers through which people sign in; null: all. */
  sign_in_providers: string | null
  /** JSON list of the hosts whose clients people may use though nobody registered them; null: all that the server takes. */
  client_hosts: string | null
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

/** The tables by name; the type parameter of every query. */
export interface Tables
  extends AddressTables,
    ApiTables,
    ApplicationTables,
    BrandTables,
    CallApprovalTables,
    ClusterTables,
    ResourceTables,
    PeopleTables,
    DelegationTables,
    LedgerTables,
    OwnerTables,
    NewOriginTables,
    PlanTables,
    RegistrationTables,
    UsageTables,
    UsageDayTables,
    DecisionTables,
    DefinitionTables,
    DeletedTables,
    DocumentTables,
    ToolRuleTables,
    WebhookTables,
    SingleUseTables {
  schema_migrations: SchemaMigrationsTable
  tenants: TenantsTable
  revocations: RevocationsTable
  signing_keys: SigningKeysTable
}
