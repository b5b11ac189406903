// Migration 3: people, how they prove who they are, and what their browsers are in the middle of. It only adds.

import type { Migration } from './schema-history.js'

const people = [
  `create table users (
    id text primary key, email text not null, email_key text unique, email_verified bigint not null, name text not null,
    state text not null check (state in ('enabled', 'disabled')), id_provider text not null, password_hash text,
    password_changed_at bigint, totp_secret text, totp_last_step bigint, created_at bigint not null,
    updated_at bigint not null, last_sign_in_at bigint)`,
  'create index users_by_name on users (name, id)',
  `create table memberships (
    user_id text not null references users (id), tenant_id text not null references tenants (id),
    role text not null check (role in ('owner', 'administrator', 'developer', 'member')),
    created_at bigint not null, updated_at bigint not null, primary key (user_id, tenant_id))`,
  'create index memberships_by_tenant on memberships (tenant_id, user_id)',
]

const proofs = [
  `create table passkeys (
    credential_id text primary key, user_id text not null references users (id), public_key text not null,
    counter bigint not null, transports text not null, name text not null, created_at bigint not null,
    last_used_at bigint)`,
  'create index passkeys_by_user on passkeys (user_id, created_at)',
  `create table recovery_codes (
    hash text primary key, user_id text not null references users (id), used_at bigint)`,
  'create index recovery_codes_by_user on recovery_codes (user_id)',
  `create table external_identities (
    issuer text not null, subject text not null, user_id text not null references users (id), provider text not null,
    created_at bigint not null, primary key (issuer, subject))`,
  'create index external_identities_by_user on external_identities (user_id)',
  `create table one_time_links (
    hash text primary key, purpose text not null check (purpose in ('set-up', 'invitation', 'password-reset')),
    tenant_id text references tenants (id), user_id text references users (id), email text, role text,
    created_by text not null, created_at bigint not null, expires_at bigint not null, used_at bigint)`,
  'create index one_time_links_by_end on one_time_links (expires_at)',
]

const browsers = [
  `create table sessions (
    id_hash text primary key, user_id text not null references users (id), created_at bigint not null,
    last_seen_at bigint not null, expires_at bigint not null, authenticated_at bigint not null, acr text not null,
    amr text not null, user_agent text not null, address text not null)`,
  'create index sessions_by_user on sessions (user_id, created_at)',
  'create index sessions_by_end on sessions (expires_at)',
  `create table pending_requests (
    id_hash text primary key, browser_hash text not null, kind text not null, application_id text, body text not null,
    created_at bigint not null, expires_at bigint not null)`,
  'create index pending_requests_by_end on pending_requests (expires_at)',
  // Who may start a delegation without an administrator, in the tenant.
  `alter table tenants add column user_consent text not null default 'allowed'
    check (user_consent in ('allowed', 'administrators'))`,
]

/** Creates the tables of people-rows.ts. */
export const peopleTables: Migration = { version: 3, name: 'people', statements: [...people, ...proofs, ...browsers] }
