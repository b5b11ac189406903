// What a restore does with the tables of people: how they prove who they are, what they are, and what they allowed.

import { data, stays, stricter, type TableRule } from './rule-shapes.js'

const user = { user_id: 'users' } as const
const member = { user_id: 'users', tenant_id: 'tenants' } as const
const once = { of: 'people', rows: 'end', ended: [], issued: true } as const

/** By table. */
export const peopleRules = {
  users: {
    of: 'people',
    rows: 'copy',
    key: ['id'],
    copied: [...['name', 'id_provider', 'created_at', 'updated_at', 'last_sign_in_at', 'language', 'work_mail']],
    ended: [
      stays('disabled people', 'state', 'disabled'),
      { what: 'operators', columns: ['operator'], when: 'n.operator < e.operator' },
      // The mailbox of before may be lost, or somebody else's.
      { what: 'e-mail addresses', columns: ['email', 'email_key', 'email_verified'], special: true },
      { what: 'passwords', columns: ['password_hash', 'password_changed_at'] },
      { what: 'second factors', columns: ['totp_secret', 'totp_last_step'] },
      {
        what: 'times of grace for a second factor',
        columns: ['factor_demanded_at'],
        when: 'n.factor_demanded_at is not null and n.factor_demanded_at is not e.factor_demanded_at',
      },
    ],
  },
  memberships: {
    of: 'people',
    rows: { what: 'memberships', owners: member },
    key: ['user_id', 'tenant_id'],
    copied: ['created_at', 'updated_at'],
    ended: [stricter('lowered roles', 'role', ['member', 'developer', 'administrator', 'owner'])],
  },
  passkeys: {
    of: 'people',
    rows: { what: 'passkeys', owners: user },
    key: ['credential_id'],
    copied: ['user_id', 'public_key', 'transports', 'name', 'created_at', 'last_used_at'],
    ended: [{ what: 'counters of passkeys', columns: ['counter'], when: 'n.counter > e.counter' }],
  },
  recovery_codes: {
    of: 'people',
    rows: { what: 'recovery codes', owners: user, mirrored: true },
    key: ['hash'],
    copied: ['user_id', 'used_at'],
    ended: [],
  },
  external_identities: {
    of: 'people',
    rows: { what: 'linked identities', owners: user },
    key: ['issuer', 'subject'],
    copied: ['user_id', 'provider', 'created_at'],
    ended: [],
  },
  email_vouchers: {
    of: 'people',
    rows: { what: 'confirmations of addresses', owners: member },
    key: ['user_id', 'tenant_id'],
    copied: ['created_at'],
    ended: [],
  },
  user_consents: {
    of: 'people',
    rows: {
      what: 'consents of people',
      owners: { user_id: 'users', application_id: 'applications', tenant_id: 'tenants' },
    },
    key: ['user_id', 'application_id', 'tenant_id', 'resource', 'permission_id'],
    copied: ['granted_at', 'ends_at', 'lasts'],
    ended: [],
  },
  token_exchanges: data(
    'people',
    ['user_id', 'tenant_id', 'application_id', 'caller_id', 'resource'],
    ['permissions', 'first_at', 'last_at'],
  ),
  redirect_confirmations: {
    of: 'people',
    rows: { what: 'confirmed redirect URIs', owners: { user_id: 'users', application_id: 'applications' } },
    key: ['user_id', 'application_id', 'tenant_id', 'origin'],
    copied: ['epoch'],
    ended: [],
  },
  sessions: {
    of: 'people',
    rows: { what: 'sign-ins', owners: {} },
    key: ['id_hash'],
    copied: [
      ...['user_id', 'created_at', 'last_seen_at', 'expires_at', 'authenticated_at', 'acr', 'amr', 'user_agent'],
      ...['address', 'sign_in_way'],
    ],
    ended: [],
    issued: true,
  },
  grants: {
    of: 'people',
    // They stay, as ended ones: what was issued by them names them.
    rows: 'copy',
    key: ['id'],
    copied: [
      ...['origin', 'user_id', 'application_id', 'tenant_id', 'resource', 'permissions', 'openid_scopes'],
      ...['client_identifier', 'authentication', 'created_at', 'idle_expires_at', 'expires_at', 'ends_at'],
    ],
    ended: [
      { what: 'grants', columns: ['state', 'ended_at', 'refresh_sequence'], special: true },
      { what: 'permissions withdrawn from grants', columns: ['withdrawn'], when: "n.withdrawn <> ''" },
    ],
    issued: true,
  },
  // A refresh token that was exchanged since is no proof: its grant has ended.
  refresh_tokens: {
    of: 'people',
    rows: 'copy',
    key: ['hash'],
    copied: ['grant_id', 'sequence', 'created_at', 'used_at'],
    ended: [],
    issued: true,
  },
  one_time_links: {
    ...once,
    key: ['hash'],
    copied: [
      ...['purpose', 'tenant_id', 'user_id', 'email', 'role', 'created_by', 'created_at', 'expires_at', 'used_at'],
    ],
  },
  email_changes: { ...once, key: ['user_id'], copied: ['email', 'hash', 'created_at', 'expires_at'] },
  authorization_codes: {
    ...once,
    key: ['hash'],
    copied: [
      ...['grant_id', 'application_id', 'redirect_uri', 'code_challenge', 'created_at', 'expires_at', 'redeemed_at'],
    ],
  },
  device_codes: {
    ...once,
    key: ['device_hash'],
    copied: [
      ...['user_code_hash', 'application_id', 'body', 'state', 'user_id', 'grant_id', 'interval_seconds'],
      ...['last_polled_at', 'created_at', 'expires_at'],
    ],
  },
  // One that was used must not come back.
  call_approvals: {
    ...once,
    key: ['id'],
    copied: [
      ...['call_key', 'state', 'user_id', 'tenant_id', 'application_id', 'grant_id', 'operation', 'body'],
      ...['created_at', 'expires_at', 'decided_at'],
    ],
  },
  pending_requests: {
    ...once,
    key: ['id_hash'],
    copied: ['browser_hash', 'kind', 'application_id', 'body', 'created_at', 'expires_at'],
  },
  waiting_notices: {
    ...once,
    key: ['position', 'user_id'],
    copied: ['email', 'language', 'kind', 'created_at', 'attempts', 'next_at'],
  },
} satisfies Record<string, TableRule>
