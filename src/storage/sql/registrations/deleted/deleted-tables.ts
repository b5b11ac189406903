// Migration 38: applications that were deleted and can still be restored. What was theirs leaves the other tables, so
// that no query finds it there, and waits here as text. It only adds; tables.ts takes the table in.

import type { Migration } from '../../schema/schema-history.js'

interface DeletedApplicationsTable {
  /** Its application identifier, and its public key: nobody else gets them. */
  id: string
  public_key: string
  /** Home tenant. */
  tenant_id: string
  name: string
  publisher: string
  /** 1: an operator had verified the publisher. */
  verified: number
  /** web | native */
  type: string
  deleted_at: number
  /** The id of the person, application or registration token; empty: the local socket. */
  deleted_by: string
  /** From then on it leaves for good. */
  purge_at: number
  /** JSON: its rows, by table (kept-rows.ts). Hashes of secrets are among them, as in application_secrets. */
  kept: string
}

/** Their part of the tables. */
export interface DeletedTables {
  deleted_applications: DeletedApplicationsTable
}

/** Creates the table. */
export const deletedTables: Migration = {
  version: 38,
  name: 'deleted applications',
  statements: [
    `create table deleted_applications (
      id text primary key, public_key text not null unique, tenant_id text not null references tenants (id),
      name text not null, publisher text not null, verified bigint not null, type text not null,
      deleted_at bigint not null, deleted_by text not null, purge_at bigint not null, kept text not null)`,
    'create index deleted_applications_by_tenant on deleted_applications (tenant_id, name, id)',
    'create index deleted_applications_by_name on deleted_applications (name, id)',
    'create index deleted_applications_by_end on deleted_applications (purge_at, id)',
    'create index deleted_applications_verified on deleted_applications (id) where verified = 1',
  ],
}
