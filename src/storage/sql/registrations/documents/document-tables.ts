// Migration 42: what is known of applications that nobody registered, beside their rows, and whose of them a tenant
// takes. It only adds.

import type { Migration } from '../../schema/schema-history.js'

/** What only an application has that a client's own document describes (decision 152). */
interface ClientDocumentsTable {
  application_id: string
  /** The client's `client_id`, and where the document is. */
  url: string
  /** What the client calls itself; the name of the application is its URL. */
  client_name: string
  /** JSON list: the grants that it says it uses, and no others are served to it. */
  grant_types: string
  /** Of what consent rests on: directory/documents/client-document.ts. */
  digest: string
  /** When the document was fetched that the row is like. */
  fetched_at: number
  updated_at: number
}

/** Its part of the tables. */
export interface DocumentTables {
  client_documents: ClientDocumentsTable
}

/** Creates the table, and extends tenants. */
export const documentTables: Migration = {
  version: 42,
  name: 'client documents',
  statements: [
    `create table client_documents (
      application_id text primary key references applications (id) on delete cascade, url text not null,
      client_name text not null, grant_types text not null, digest text not null, fetched_at bigint not null,
      updated_at bigint not null)`,
    'create index client_documents_by_update on client_documents (updated_at)',
    'alter table tenants add column client_hosts text',
  ],
}
