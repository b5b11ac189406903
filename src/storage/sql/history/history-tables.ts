// Migration 25: what every instance counted in the last hour, by minute, and in the last day, by quarter of an hour
// (decision 117). It only adds.

import type { Migration } from '../schema/schema-history.js'

/** Creates the table of history.ts. */
export const historyTables: Migration = {
  version: 25,
  name: 'short history',
  statements: [
    `create table history (
      slot_seconds bigint not null, at bigint not null, instance_id text not null, body text not null,
      primary key (slot_seconds, at, instance_id))`,
  ],
}
