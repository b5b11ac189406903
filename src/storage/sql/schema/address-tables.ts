// Migration 15: e-mail addresses that wait to be confirmed, who vouched for an address, how much mail went to whom, and
// what a tenant or an application says about device codes and about applications of other tenants.

import type { Migration } from './schema-history.js'

/** Creates the tables of address-rows.ts and extends tenants and applications. */
export const addressTables: Migration = {
  version: 15,
  name: 'addresses',
  statements: [
    `create table email_changes (
      user_id text primary key references users (id), email text not null, hash text unique, created_at bigint not null,
      expires_at bigint not null)`,
    'create index email_changes_by_end on email_changes (expires_at)',
    `create table email_vouchers (
      user_id text primary key references users (id), tenant_id text not null references tenants (id),
      created_at bigint not null)`,
    'create table mail_allowances (subject text primary key, used_until bigint not null)',
    'create index mail_allowances_by_end on mail_allowances (used_until)',
    // What nobody confirmed is shown to no application any more.
    `update profiles set email = '' where user_id in (select id from users where email_verified = 0)`,
    `alter table tenants add column foreign_consent text not null default 'verified'
      check (foreign_consent in ('allowed', 'verified'))`,
    `alter table tenants add column device_codes text not null default 'allowed'
      check (device_codes in ('allowed', 'off'))`,
    `alter table applications add column device_codes text not null default 'allowed'
      check (device_codes in ('allowed', 'off'))`,
  ],
}
