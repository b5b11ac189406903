// Migration 9: the APIs of tenants; 36: what their permissions allow, in other languages. They only add.

import type { Migration } from './schema-history.js'

/** Creates the tables of api-rows.ts. */
export const apiTables: Migration = {
  version: 9,
  name: 'apis',
  statements: [
    `create table apis (
      id text primary key, identifier text not null unique, tenant_id text not null references tenants (id),
      name text not null, created_at bigint not null, updated_at bigint not null)`,
    'create index apis_by_tenant on apis (tenant_id, identifier)',
    `create table api_permissions (
      api_id text not null references apis (id) on delete cascade, permission_id text not null, describe text not null,
      kinds text not null check (kinds in ('application', 'delegated', 'application,delegated')),
      admin_consent bigint not null check (admin_consent in (0, 1)),
      role text not null check (role in ('owner', 'administrator', 'developer', 'member')),
      primary key (api_id, permission_id))`,
  ],
}

/** Extends api_permissions. JSON by language; empty: only as it was written first. */
export const apiTranslations: Migration = {
  version: 36,
  name: 'api translations',
  statements: ["alter table api_permissions add column translations text not null default ''"],
}
