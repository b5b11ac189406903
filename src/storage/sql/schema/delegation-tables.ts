// Migration 4: consents of people, grants with their codes and refresh tokens, and what an application says about
// itself for them. It only adds, with defaults, so that instances of the version before go on.

import type { Migration } from './schema-history.js'

const consents = [
  `create table user_consents (
    user_id text not null references users (id), application_id text not null references applications (id),
    tenant_id text not null references tenants (id), resource text not null, permission_id text not null,
    granted_at bigint not null, primary key (user_id, application_id, tenant_id, resource, permission_id))`,
  'create index user_consents_by_application on user_consents (application_id, tenant_id)',
  `create table consent_requests (
    id text primary key, application_id text not null references applications (id),
    tenant_id text not null references tenants (id), requested_by text not null, permissions text not null,
    reason text not null, state text not null check (state in ('pending', 'approved', 'declined')),
    created_at bigint not null, decided_at bigint, decided_by text)`,
  'create index consent_requests_by_tenant on consent_requests (tenant_id, state, created_at)',
]

const grants = [
  `create table grants (
    id text primary key, origin text not null check (origin in ('code', 'device')), user_id text not null,
    application_id text not null, tenant_id text not null, resource text not null, permissions text not null,
    openid_scopes text not null, client_identifier text not null, authentication text not null,
    state text not null check (state in ('active', 'ended')), created_at bigint not null, ended_at bigint,
    refresh_sequence bigint not null, idle_expires_at bigint not null, expires_at bigint not null)`,
  'create index grants_by_user on grants (user_id, state)',
  'create index grants_by_application on grants (application_id, tenant_id, state)',
  'create index grants_by_tenant on grants (tenant_id, state)',
  'create index grants_by_creation on grants (created_at)',
  `create table authorization_codes (
    hash text primary key, grant_id text not null references grants (id) on delete cascade,
    application_id text not null, redirect_uri text not null, code_challenge text not null, created_at bigint not null,
    expires_at bigint not null, redeemed_at bigint)`,
  'create index authorization_codes_by_grant on authorization_codes (grant_id)',
  `create table refresh_tokens (
    hash text primary key, grant_id text not null references grants (id) on delete cascade, sequence bigint not null,
    created_at bigint not null, used_at bigint)`,
  'create unique index refresh_tokens_by_grant on refresh_tokens (grant_id, sequence)',
  `create table device_codes (
    device_hash text primary key, user_code_hash text not null unique, application_id text not null, body text not null,
    state text not null check (state in ('pending', 'approved', 'denied', 'redeemed')), user_id text, grant_id text,
    interval_seconds bigint not null, last_polled_at bigint not null, created_at bigint not null,
    expires_at bigint not null)`,
  'create index device_codes_by_end on device_codes (expires_at)',
]

const registrations = [
  'alter table applications add column require_pkce bigint not null default 0',
  `alter table applications add column auth_method text not null default 'secret' check (auth_method in ('secret', 'private_key_jwt'))`,
  'alter table applications add column jwks text',
  `alter table applications add column id_token_alg text not null default 'RS256'`,
  `alter table applications add column publisher text not null default ''`,
  'alter table applications add column verified bigint not null default 0',
]

/** Creates the tables of delegation-rows.ts, and extends the applications. */
export const delegationTables: Migration = {
  version: 4,
  name: 'delegation',
  statements: [...consents, ...grants, ...registrations],
}
