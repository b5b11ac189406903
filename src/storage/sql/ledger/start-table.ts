// Migration 21: where the ledger begins. It only adds.

import type { Migration } from '../schema/schema-history.js'

/** Adds `ledger_start`, of a ledger that begins with its first row. */
export const ledgerStartTable: Migration = {
  version: 21,
  name: 'where the ledger begins',
  statements: [
    `create table ledger_start (id bigint primary key check (id = 1), position bigint not null, mac text not null,
      recorded bigint not null, at bigint not null, key_id text not null, seal text not null)`,
    `insert into ledger_start (id, position, mac, recorded, at, key_id, seal) values (1, 0, '', 0, 0, '', '')`,
  ],
}
