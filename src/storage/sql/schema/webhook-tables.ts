// Migration 11: webhooks and what is on its way to them. It only adds; events begin where the ledger ends now.

import type { Migration } from './schema-history.js'

/** Creates the tables of webhook-rows.ts. */
export const webhookTables: Migration = {
  version: 11,
  name: 'webhooks',
  statements: [
    `create table webhooks (
      id text primary key, tenant_id text not null references tenants (id), url text not null, events text not null,
      secret text not null, enabled bigint not null, disabled_because text, created_by text not null,
      created_at bigint not null, updated_at bigint not null, failing_since bigint)`,
    'create index webhooks_by_tenant on webhooks (tenant_id, created_at)',
    `create table event_deliveries (
      id text primary key, webhook_id text not null references webhooks (id) on delete cascade,
      position bigint not null, event_id text not null, type text not null, body text not null,
      created_at bigint not null, state text not null, attempts bigint not null, next_at bigint not null,
      last_at bigint, last_status bigint, last_reason text)`,
    'create unique index event_deliveries_by_webhook on event_deliveries (webhook_id, position)',
    'create index event_deliveries_by_turn on event_deliveries (state, webhook_id, next_at)',
    'create index event_deliveries_by_time on event_deliveries (created_at)',
    'create table event_cursor (id bigint primary key check (id = 1), position bigint not null)',
    'insert into event_cursor (id, position) select 1, position from ledger_head where id = 1',
  ],
}
