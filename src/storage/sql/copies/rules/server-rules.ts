// What a restore does with the tables of the server itself: its keys, its logs and its counts.

import { data, type TableRule } from './rule-shapes.js'

const log = (key: readonly string[], copied: readonly string[]): TableRule => ({
  ...data('server', key, copied),
  rows: 'log',
})

/** By table. */
export const serverRules = {
  signing_keys: {
    of: 'server',
    // One that was removed may be in wrong hands: those of now sign on, and what the others signed is refused as it was.
    rows: { what: 'signing keys', ofNow: true },
    key: ['kid'],
    copied: [...['purpose', 'alg', 'state', 'public_jwk', 'private_jwk', 'created_at', 'activates_at', 'removes_at']],
    ended: [],
  },
  revocations: {
    of: 'server',
    rows: 'copy',
    key: ['what', 'id'],
    copied: ['tenant_id', 'application_id', 'user_id'],
    ended: [{ what: 'revocations', columns: ['seq', 'at', 'expires_at'], special: true }],
    issued: true,
  },
  single_uses: {
    of: 'server',
    rows: { what: 'client assertions that were used', ofNow: true },
    key: ['id_hash'],
    copied: ['purpose', 'expires_at'],
    ended: [],
  },
  mail_allowances: {
    of: 'server',
    rows: { what: 'mail that was counted', ofNow: true },
    key: ['subject'],
    copied: ['used_until'],
    ended: [],
  },
  // A definition that was approved since waits for approval once more: its server still gives it.
  tool_definitions: data(
    'server',
    ['id'],
    [
      ...['route', 'tool', 'approved_digest', 'approved_text', 'approved_at', 'approved_by'],
      ...['pending_digest', 'pending_text', 'pending_at', 'pending_announced', 'announced_at', 'unnamed_at'],
    ],
  ),
  usage_days: {
    of: 'server',
    // A day that receivers were told of is not told of again, with other counts.
    rows: { what: 'days of use that were reported', ofNow: true },
    key: ['id'],
    copied: ['open_day', 'next_day', 'next_tenant', 'next_part'],
    ended: [],
  },
  event_deliveries: {
    of: 'server',
    rows: 'copy',
    key: ['id'],
    copied: ['webhook_id', 'position', 'event_id', 'type', 'body', 'created_at'],
    ended: [
      {
        what: 'events that were delivered',
        columns: ['state', 'attempts', 'next_at', 'last_at', 'last_status', 'last_reason', 'last_ms'],
      },
    ],
  },
  feed_head: log(['id'], ['seq']),
  feed_gaps: log(['until_seq'], ['after_seq', 'at']),
  changes: log(['seq'], ['at', 'body']),
  schema_migrations: log(['version'], ['name', 'applied_at']),
  event_cursor: data('server', ['id'], ['position']),
  notice_cursor: data('server', ['id'], ['position']),
  instances: data('server', ['id'], ['started_at', 'seen_at', 'applied_seq', 'name']),
  leases: data('server', ['name'], ['holder', 'ends_at']),
  ledger: data(
    'server',
    ['position'],
    [
      ...['at', 'event', 'tenant_id', 'actor', 'application_id', 'user_id', 'request_id', 'address', 'details'],
      ...['key_id', 'mac', 'previous_mac'],
    ],
  ),
  ledger_head: data('server', ['id'], ['position', 'mac']),
  ledger_start: data('server', ['id'], ['position', 'mac', 'recorded', 'at', 'key_id', 'seal']),
  ledger_members: data('server', ['tenant_id', 'position'], ['event', 'user_id', 'limited']),
  activity: data(
    'server',
    ['id'],
    ['at', 'event', 'tenant_id', 'application_id', 'user_id', 'request_id', 'address', 'details'],
  ),
  activity_members: data('server', ['tenant_id', 'at', 'id'], ['limited']),
  recorded_decisions: data(
    'server',
    ['id'],
    [
      ...['at', 'application_id', 'proved', 'what', 'outcome', 'reason', 'status', 'number', 'request_id'],
      ...['tenant_id', 'user_id', 'route', 'method', 'grant_type', 'permissions'],
    ],
  ),
  permission_usage: data(
    'server',
    ['application_id', 'tenant_id', 'kind', 'resource', 'permission_id', 'day'],
    ['uses', 'first_used_at', 'last_used_at'],
  ),
  route_usage: data(
    'server',
    ['application_id', 'tenant_id', 'day', 'route'],
    ['allowed', 'not_permitted', 'limited', 'token_refused', 'client_errors', 'server_errors'],
  ),
  pkce_usage: data('server', ['application_id', 'day'], ['with_challenge', 'without_challenge', 'last_without_at']),
  usage_flushes: data('server', ['instance_id'], ['sequence', 'at']),
  usage_written: data('server', ['instance_id'], ['day']),
  secret_warnings: data('server', ['key_id', 'days'], ['at']),
  history: data('server', ['slot_seconds', 'at', 'instance_id'], ['body']),
} satisfies Record<string, TableRule>
