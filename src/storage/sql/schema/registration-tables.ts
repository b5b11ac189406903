// Migration 8: initial access tokens, applications that registered themselves, and credentials of outside issuers. It
// only adds.

import type { Migration } from './schema-history.js'

/** Creates the tables of registration-rows.ts. */
export const registrationTables: Migration = {
  version: 8,
  name: 'registration by standard',
  statements: [
    `create table registration_tokens (
      id text primary key, hash text not null unique, tenant_id text not null references tenants (id),
      label text not null, created_by text not null, permissions text not null, uses_left bigint not null,
      created_at bigint not null, expires_at bigint not null)`,
    'create index registration_tokens_by_tenant on registration_tokens (tenant_id, created_at)',
    'create index registration_tokens_by_end on registration_tokens (expires_at)',
    `create table client_registrations (
      application_id text primary key references applications (id) on delete cascade, token_hash text not null,
      previous_hash text,
      registration_token_id text not null, grant_types text not null, permissions text not null,
      auth_method text not null, application_type text not null, updated_at bigint not null)`,
    `create table federated_credentials (
      id text primary key, application_id text not null references applications (id) on delete cascade,
      name text not null,
      issuer text not null, subject text not null, audience text not null, jwks text, created_at bigint not null,
      last_used_at bigint)`,
    'create unique index federated_credentials_by_trust on federated_credentials (application_id, issuer, subject, audience)',
  ],
}
