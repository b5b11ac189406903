// Migration 19: which redirect origins are new, until an administrator has looked at them. It only adds: origins of
// before stay known to the ledger alone. tables.ts takes the table in.

import type { Migration } from '../../schema/schema-history.js'

/** An origin that came after the registration, and that no administrator has dismissed yet. */
interface NewRedirectOriginsTable {
  application_id: string
  /** Scheme, host and port; of a private-use scheme, the scheme. */
  origin: string
  /** The home tenant of the application. */
  tenant_id: string
  /** The id of the person or application that added it; empty: the local socket. */
  added_by: string
  added_at: number
  /** When administrators were written to about it; null: not yet. */
  told_at: number | null
}

/** Its part of the tables. */
export interface NewOriginTables {
  new_redirect_origins: NewRedirectOriginsTable
}

/** Creates the table. */
export const newOriginTables: Migration = {
  version: 19,
  name: 'new redirect origins',
  statements: [
    `create table new_redirect_origins (
      application_id text not null references applications (id) on delete cascade, origin text not null,
      tenant_id text not null, added_by text not null, added_at bigint not null, told_at bigint,
      primary key (application_id, origin))`,
    'create index new_redirect_origins_by_tenant on new_redirect_origins (tenant_id, added_at)',
    'create index new_redirect_origins_untold on new_redirect_origins (tenant_id) where told_at is null',
  ],
}
