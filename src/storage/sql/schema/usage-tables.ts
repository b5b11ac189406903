// Migration 7: what applications use, counted by day, and which secrets were said to end soon. It only adds.

import type { Migration } from './schema-history.js'

/** Creates the tables of usage-rows.ts. */
export const usageTables: Migration = {
  version: 7,
  name: 'usage',
  statements: [
    `create table permission_usage (
      application_id text not null, tenant_id text not null,
      kind text not null check (kind in ('application', 'delegated')), resource text not null,
      permission_id text not null, day bigint not null, uses bigint not null, first_used_at bigint not null,
      last_used_at bigint not null,
      primary key (application_id, tenant_id, kind, resource, permission_id, day))`,
    'create index permission_usage_by_day on permission_usage (day)',
    `create table route_usage (
      application_id text not null, tenant_id text not null, day bigint not null, route text not null,
      allowed bigint not null, not_permitted bigint not null, limited bigint not null, token_refused bigint not null, client_errors bigint not null,
      server_errors bigint not null, primary key (application_id, tenant_id, day, route))`,
    'create index route_usage_by_tenant on route_usage (tenant_id, day)',
    'create index route_usage_by_day on route_usage (day)',
    'create table usage_flushes (instance_id text primary key, sequence bigint not null, at bigint not null)',
    `create table secret_warnings (
      key_id text not null references application_secrets (key_id) on delete cascade, days bigint not null,
      at bigint not null, primary key (key_id, days))`,
    'create index application_secrets_by_end on application_secrets (ends_at)',
  ],
}
