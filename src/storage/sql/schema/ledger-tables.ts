// Migration 5: the ledger and the activity log. It only adds.

import type { Migration } from './schema-history.js'

/** Creates the tables of ledger-rows.ts. */
export const ledgerTables: Migration = {
  version: 5,
  name: 'ledger',
  statements: [
    `create table ledger (
      position bigint primary key, at bigint not null, event text not null, tenant_id text, actor text not null,
      application_id text, user_id text, request_id text, address text, details text not null, key_id text not null,
      mac text not null)`,
    'create index ledger_by_tenant on ledger (tenant_id, position)',
    'create index ledger_by_application on ledger (application_id, position)',
    'create table ledger_head (id bigint primary key check (id = 1), position bigint not null, mac text not null)',
    `insert into ledger_head (id, position, mac) values (1, 0, '')`,
    `create table activity (
      id text primary key, at bigint not null, event text not null, tenant_id text, application_id text, user_id text,
      request_id text, address text, details text not null)`,
    'create index activity_by_time on activity (at, id)',
    'create index activity_by_tenant on activity (tenant_id, at)',
  ],
}
