// Migration 17: owners of applications, and which of their redirect URIs people have been prompted about (decision 84).
// It only adds. The person who registered an application owns it, as far as that is known and they are still there.

import type { Migration } from './schema-history.js'

/** Creates the tables of owner-rows.ts. */
export const ownerTables: Migration = {
  version: 17,
  name: 'owners of applications',
  statements: [
    `create table application_owners (
      application_id text not null references applications (id) on delete cascade, owner_id text not null,
      kind text not null check (kind in ('user', 'application')), added_by text not null, added_at bigint not null,
      primary key (application_id, owner_id))`,
    'create index application_owners_by_owner on application_owners (owner_id)',
    `insert into application_owners (application_id, owner_id, kind, added_by, added_at)
      select applications.id, memberships.user_id, 'user', '', applications.created_at
      from applications join memberships
        on memberships.user_id = applications.created_by and memberships.tenant_id = applications.tenant_id`,
    `insert into application_owners (application_id, owner_id, kind, added_by, added_at)
      select one.id, other.id, 'application', '', one.created_at
      from applications one join applications other
        on other.id = one.created_by and other.tenant_id = one.tenant_id and other.id <> one.id`,
    `alter table applications add column redirect_epochs text not null default ''`,
    'alter table installations add column redirect_epoch bigint not null default 0',
    `create table redirect_confirmations (
      user_id text not null references users (id) on delete cascade,
      application_id text not null references applications (id) on delete cascade, tenant_id text not null,
      origin text not null, epoch bigint not null, primary key (user_id, application_id, tenant_id, origin))`,
    'create index redirect_confirmations_by_application on redirect_confirmations (application_id)',
  ],
}
