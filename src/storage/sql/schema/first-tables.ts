// Migration 1: the tables of tables.ts, their keys and the indexes that the queries need.
// A migration that was released is never edited; the next one changes what it made.

import type { Migration } from './schema-history.js'

const registrations = [
  `create table tenants (
    id text primary key, name text not null, state text not null check (state in ('enabled', 'disabled')),
    created_at bigint not null, updated_at bigint not null)`,
  `create table applications (
    id text primary key, public_key text not null unique, tenant_id text not null references tenants (id),
    name text not null, type text not null check (type in ('web', 'native')),
    state text not null check (state in ('enabled', 'disabled')),
    audience text not null check (audience in ('home', 'any')),
    created_at bigint not null, updated_at bigint not null)`,
  'create index applications_by_tenant on applications (tenant_id, id)',
  'create index applications_by_name on applications (name, id)',
  `create table application_secrets (
    key_id text primary key, application_id text not null references applications (id), label text not null,
    hint text not null, hash text not null, pepper_id text not null, starts_at bigint not null, ends_at bigint not null,
    last_used_at bigint, created_at bigint not null)`,
  'create index application_secrets_by_application on application_secrets (application_id, created_at)',
  `create table redirect_uris (
    application_id text not null references applications (id),
    purpose text not null check (purpose in ('redirect', 'admin-consent', 'logout')),
    uri text not null, primary key (application_id, purpose, uri))`,
  `create table configured_permissions (
    application_id text not null references applications (id),
    kind text not null check (kind in ('application', 'delegated')),
    resource text not null, permission_id text not null,
    primary key (application_id, kind, resource, permission_id))`,
  `create table installations (
    application_id text not null references applications (id), tenant_id text not null references tenants (id),
    created_at bigint not null, primary key (application_id, tenant_id))`,
  'create index installations_by_tenant on installations (tenant_id, application_id)',
  `create table permission_grants (
    application_id text not null references applications (id), tenant_id text not null references tenants (id),
    kind text not null check (kind in ('application', 'delegated')), resource text not null,
    permission_id text not null, granted_at bigint not null, granted_by text not null,
    primary key (application_id, tenant_id, kind, resource, permission_id))`,
]

const changesAndKeys = [
  'create table feed_head (id bigint primary key check (id = 1), seq bigint not null)',
  'insert into feed_head (id, seq) values (1, 0)',
  'create table changes (seq bigint primary key, at bigint not null, body text not null)',
  'create index changes_by_time on changes (at)',
  `create table revocations (
    what text not null, id text not null, seq bigint not null, at bigint not null, expires_at bigint not null,
    primary key (what, id))`,
  'create index revocations_by_end on revocations (expires_at)',
  `create table signing_keys (
    kid text primary key, purpose text not null check (purpose in ('token', 'assertion')), alg text not null,
    state text not null check (state in ('pending', 'active', 'retiring', 'removed')),
    public_jwk text not null, private_jwk text not null, created_at bigint not null, activates_at bigint not null,
    removes_at bigint)`,
]

// The backend's data. It names tenants but does not depend on their table: the backend is a service like any other.
const resources = [
  `create table profiles (
    id text primary key, tenant_id text not null, user_id text, public_name text not null, id_provider text not null,
    email text not null, cover_url text not null, avatar_url text not null, follows_count bigint not null,
    followers_count bigint not null, enrollments_count bigint not null, social_profile_id text not null,
    cart_id text not null, wallet_id text not null, currency_id text not null,
    currency_exchange double precision not null, updated_at bigint not null)`,
  'create unique index profiles_by_user on profiles (tenant_id, user_id)',
  // NULL differs from NULL in a unique index; a tenant has one profile of its own all the same.
  'create unique index profiles_of_tenant on profiles (tenant_id) where user_id is null',
  `create table subscriptions (
    id text primary key, tenant_id text not null, subscription_id text not null, display_name text not null,
    state text not null, version bigint not null, created_at bigint not null, updated_at bigint not null)`,
  'create index subscriptions_by_tenant on subscriptions (tenant_id, id)',
  'create unique index subscriptions_by_subscription_id on subscriptions (tenant_id, subscription_id)',
  `create table resource_groups (
    id text primary key, tenant_id text not null,
    subscription_record_id text not null unique references subscriptions (id) on delete cascade,
    name text not null, location text not null, provisioning_state text not null, updated_at bigint not null)`,
  'create index resource_groups_by_tenant on resource_groups (tenant_id, id)',
]

/** Creates every table of the first release. */
export const firstTables: Migration = {
  version: 1,
  name: 'first tables',
  statements: [...registrations, ...changesAndKeys, ...resources],
}
