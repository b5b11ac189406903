// What a restore does with the tables of tenants: their rules, their webhooks, their APIs.

import { data, stays, stricter, type TableRule } from './rule-shapes.js'

const tenant = { tenant_id: 'tenants' } as const
const rules = 'stricter rules of tenants'

/** By table. */
export const tenantRules = {
  tenants: {
    of: 'tenants',
    rows: 'copy',
    key: ['id'],
    copied: ['name', 'created_at', 'updated_at'],
    ended: [
      stays('disabled tenants', 'state', 'disabled'),
      stays(rules, 'user_consent', 'administrators'),
      stays(rules, 'foreign_consent', 'verified'),
      stays(rules, 'device_codes', 'off'),
      stays(rules, 'administrators', 'secondFactor'),
      stricter(rules, 'second_factor', ['member', 'developer', 'administrator', 'owner', 'none']),
      stays(rules, 'own_sign_in', 'owners'),
      {
        what: rules,
        columns: ['sign_in_providers'],
        when: 'n.sign_in_providers is not null and n.sign_in_providers is not e.sign_in_providers',
      },
      {
        what: rules,
        columns: ['client_hosts'],
        when: 'n.client_hosts is not null and n.client_hosts is not e.client_hosts',
      },
    ],
  },
  tool_rules: {
    of: 'tenants',
    rows: { what: 'rules for tools', owners: tenant, mirrored: true },
    key: ['tenant_id', 'route', 'tool'],
    copied: ['rule', 'updated_at'],
    ended: [],
  },
  webhooks: {
    of: 'tenants',
    rows: { what: 'webhooks', owners: tenant },
    key: ['id'],
    copied: ['tenant_id', 'created_by', 'created_at', 'updated_at', 'failing_since'],
    ended: [
      {
        what: 'addresses and secrets of webhooks',
        columns: ['url', 'events', 'secret', 'earlier_secret', 'earlier_until'],
      },
      { what: 'disabled webhooks', columns: ['enabled', 'disabled_because'], when: 'n.enabled < e.enabled' },
    ],
  },
  registration_tokens: {
    of: 'tenants',
    rows: { what: 'registration tokens', owners: tenant },
    key: ['id'],
    copied: ['hash', 'tenant_id', 'label', 'created_by', 'created_at'],
    ended: [
      { what: 'uses of registration tokens', columns: ['uses_left'], when: 'n.uses_left < e.uses_left' },
      { what: 'registration tokens that end sooner', columns: ['expires_at'], when: 'n.expires_at < e.expires_at' },
      { what: 'bounds of registration tokens', columns: ['permissions'] },
    ],
    issued: true,
  },
  apis: data('tenants', ['id'], ['identifier', 'tenant_id', 'name', 'created_at', 'updated_at']),
  api_permissions: {
    of: 'tenants',
    rows: { what: 'permissions of APIs', owners: { api_id: 'apis' } },
    key: ['api_id', 'permission_id'],
    copied: ['describe', 'translations'],
    ended: [
      {
        what: 'stricter permissions of APIs',
        columns: ['kinds'],
        when: "instr(n.kinds, ',') = 0 and n.kinds <> e.kinds",
      },
      {
        what: 'stricter permissions of APIs',
        columns: ['admin_consent'],
        when: 'n.admin_consent > e.admin_consent',
      },
      stricter('stricter permissions of APIs', 'role', ['owner', 'administrator', 'developer', 'member']),
    ],
  },
  tenant_brands: {
    of: 'tenants',
    rows: { what: 'brands', owners: tenant },
    key: ['tenant_id'],
    copied: ['name', 'accent', 'accent_dark', 'terms', 'privacy', 'support', 'updated_at'],
    ended: [],
  },
  brand_logos: {
    of: 'tenants',
    rows: { what: 'logos', owners: { tenant_id: 'tenants', application_id: 'applications' } },
    // Not by its digest: where there is another now, its owner has a logo, and which one it is comes from the copy.
    key: ['tenant_id', 'application_id', 'theme'],
    copied: ['digest', 'media_type', 'width', 'height', 'picture', 'created_at'],
    ended: [],
  },
  profiles: {
    of: 'people',
    rows: 'copy',
    key: ['id'],
    copied: [
      ...['tenant_id', 'user_id', 'public_name', 'id_provider', 'cover_url', 'avatar_url', 'follows_count'],
      ...['followers_count', 'enrollments_count', 'social_profile_id', 'cart_id', 'wallet_id', 'currency_id'],
      ...['currency_exchange', 'updated_at'],
    ],
    ended: [{ what: 'e-mail addresses', columns: ['email'], special: true }],
  },
  subscriptions: data(
    'tenants',
    ['id'],
    ['tenant_id', 'subscription_id', 'display_name', 'state', 'version', 'created_at', 'updated_at'],
  ),
  resource_groups: data(
    'tenants',
    ['id'],
    ['tenant_id', 'subscription_record_id', 'name', 'location', 'provisioning_state', 'updated_at'],
  ),
} satisfies Record<string, TableRule>
