// Migration 28: how long the last attempt took, and the signing secret that a new one has replaced, for as long as
// receivers may still verify with it. It only adds.

import type { Migration } from '../schema/schema-history.js'

/** Extends event_deliveries and webhooks. */
export const deliveryColumns: Migration = {
  version: 28,
  name: 'webhook secrets and durations',
  statements: [
    'alter table event_deliveries add column last_ms bigint',
    'alter table webhooks add column earlier_secret text',
    'alter table webhooks add column earlier_until bigint',
  ],
}
