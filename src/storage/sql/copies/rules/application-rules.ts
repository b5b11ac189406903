// What a restore does with the tables of applications: how they prove who they are, and what they may do.

import { data, stays, type TableRule } from './rule-shapes.js'

const application = { application_id: 'applications' } as const
const inTenant = { application_id: 'applications', tenant_id: 'tenants' } as const
const permission = ['resource', 'permission_id']

/** By table. */
export const applicationRules = {
  applications: {
    of: 'applications',
    rows: 'copy',
    key: ['id'],
    copied: [
      ...['public_key', 'tenant_id', 'name', 'type', 'created_at', 'updated_at', 'id_token_alg', 'publisher'],
      ...['created_by', 'name_key'],
    ],
    ended: [
      stays('disabled applications', 'state', 'disabled'),
      { what: 'keys of applications', columns: ['auth_method', 'jwks'] },
      { what: 'demands for PKCE', columns: ['require_pkce'], when: 'n.require_pkce > e.require_pkce' },
      stays('applications taken back to their tenant', 'audience', 'home'),
      { what: 'withdrawn publishers', columns: ['verified'], when: 'n.verified < e.verified' },
      stays('device codes turned off for applications', 'device_codes', 'off'),
      { what: 'prompts about redirect URIs', columns: ['redirect_epochs'] },
    ],
  },
  application_secrets: {
    of: 'applications',
    rows: { what: 'secrets', owners: application },
    key: ['key_id'],
    copied: [...['application_id', 'label', 'hint', 'hash', 'pepper_id', 'starts_at', 'last_used_at', 'created_at']],
    ended: [{ what: 'secrets that end sooner', columns: ['ends_at'], when: 'n.ends_at < e.ends_at' }],
  },
  federated_credentials: {
    of: 'applications',
    rows: { what: 'federated credentials', owners: application },
    key: ['id'],
    copied: ['application_id', 'name', 'created_at', 'last_used_at'],
    ended: [{ what: 'keys of federated credentials', columns: ['issuer', 'subject', 'audience', 'jwks'] }],
  },
  client_registrations: {
    of: 'applications',
    rows: { what: 'registration access tokens', owners: application },
    key: ['application_id'],
    copied: ['registration_token_id', 'application_type', 'updated_at'],
    ended: [
      { what: 'registration access tokens', columns: ['token_hash', 'previous_hash'] },
      { what: 'bounds of registered clients', columns: ['grant_types', 'permissions', 'auth_method'] },
    ],
  },
  client_documents: {
    of: 'applications',
    rows: { what: 'clients that nobody registered', owners: application },
    key: ['application_id'],
    copied: ['url', 'client_name', 'updated_at'],
    ended: [{ what: 'documents of clients', columns: ['grant_types', 'digest', 'fetched_at'] }],
  },
  redirect_uris: {
    of: 'applications',
    rows: { what: 'redirect URIs', owners: application },
    key: ['application_id', 'purpose', 'uri'],
    copied: [],
    ended: [],
  },
  application_owners: {
    of: 'applications',
    rows: { what: 'owners', owners: application },
    key: ['application_id', 'owner_id'],
    copied: ['kind', 'added_by', 'added_at'],
    ended: [],
  },
  configured_permissions: {
    of: 'applications',
    rows: { what: 'configured permissions', owners: application },
    key: ['application_id', 'kind', ...permission],
    copied: [],
    ended: [],
  },
  permission_grants: {
    of: 'applications',
    rows: { what: "administrators' consents", owners: inTenant },
    key: ['application_id', 'tenant_id', 'kind', ...permission],
    copied: ['granted_at', 'granted_by'],
    ended: [],
  },
  installations: {
    of: 'applications',
    rows: { what: 'installations', owners: inTenant },
    key: ['application_id', 'tenant_id'],
    copied: ['created_at', 'redirect_epoch'],
    ended: [],
  },
  application_plans: {
    of: 'applications',
    rows: { what: 'plans and their overrides', owners: application, mirrored: true },
    key: ['application_id'],
    copied: ['plan', 'overrides', 'updated_at'],
    ended: [],
  },
  plan_requests: {
    of: 'applications',
    rows: { what: 'requests for plans', owners: application },
    key: ['id'],
    copied: ['application_id', 'tenant_id', 'plan', 'reason', 'requested_by', 'requested_at'],
    ended: [{ what: 'requests for plans', columns: ['declined_at', 'answer'] }],
  },
  consent_requests: {
    of: 'applications',
    rows: { what: 'requests for consent', owners: inTenant },
    key: ['id'],
    copied: ['application_id', 'tenant_id', 'requested_by', 'permissions', 'reason', 'created_at'],
    ended: [{ what: 'requests for consent', columns: ['state', 'decided_at', 'decided_by'] }],
  },
  deleted_applications: {
    of: 'applications',
    // One that left for good must not be restored from there, and one that is back may have lost what waits there.
    rows: 'copy',
    key: ['id'],
    copied: ['public_key', 'tenant_id', 'type'],
    ended: [
      {
        what: 'deleted applications and their secrets',
        columns: ['name', 'publisher', 'verified', 'deleted_at', 'deleted_by', 'purge_at', 'kept'],
        special: true,
      },
    ],
  },
  new_redirect_origins: data(
    'applications',
    ['application_id', 'origin'],
    ['tenant_id', 'added_by', 'added_at', 'told_at'],
  ),
  application_brands: {
    of: 'applications',
    rows: { what: 'links of applications', owners: application },
    key: ['application_id'],
    copied: ['home', 'terms', 'privacy', 'updated_at'],
    ended: [],
  },
} satisfies Record<string, TableRule>
