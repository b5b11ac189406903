// Migration 24: which events about people are of the tenants that they belong to. It only adds. What was written before
// goes to the tenants to which the person belonged at that time and belongs still, and to them with less of the row,
// because nobody knows any more where else the person belonged then.

import type { Migration } from '../schema/schema-history.js'

const before = [
  ...['user.signed-in', 'user.signed-out', 'session.ended', 'user.disabled', 'user.enabled', 'user.changed'],
  ...['user.email-asked', 'user.password-changed', 'user.second-factor-added', 'user.second-factor-removed'],
  ...['user.recovery-codes-renewed', 'user.recovery-code-used', 'user.passkey-added', 'user.passkey-removed'],
  ...['user.passkey-renamed', 'user.provider-linked', 'user.provider-unlinked', 'user.ways-in-removed'],
  ...['user.revoked', 'link.created', 'link.used'],
].map((event) => `'${event}'`)

/** Creates the tables of member-rows.ts. */
export const memberTables: Migration = {
  version: 24,
  name: 'events about the members of a tenant',
  statements: [
    `create table ledger_members (
      tenant_id text not null, position bigint not null, event text not null, user_id text not null,
      limited bigint not null, primary key (tenant_id, position))`,
    'create index ledger_members_by_event on ledger_members (tenant_id, event, position)',
    'create index ledger_members_by_user on ledger_members (tenant_id, user_id, position)',
    'create index ledger_members_by_position on ledger_members (position)',
    `create table activity_members (
      tenant_id text not null, at bigint not null, id text not null, limited bigint not null,
      primary key (tenant_id, at, id))`,
    'create index activity_members_by_id on activity_members (id)',
    `insert into ledger_members (tenant_id, position, event, user_id, limited)
      select memberships.tenant_id, ledger.position, ledger.event, ledger.user_id, 1
      from ledger join memberships on memberships.user_id = ledger.user_id and memberships.created_at <= ledger.at
      where ledger.tenant_id is null and ledger.event in (${before.join(', ')})`,
    `insert into activity_members (tenant_id, at, id, limited)
      select memberships.tenant_id, activity.at, activity.id, 1
      from activity join memberships on memberships.user_id = activity.user_id and memberships.created_at <= activity.at
      where activity.tenant_id is null
        and activity.event in ('user.sign-in-failed', 'user.sign-in-delayed', 'user.password-change-failed')`,
  ],
}
