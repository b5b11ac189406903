// Migration 12: what proves somebody only once. It only adds.

import type { Migration } from './schema-history.js'

/** Creates the table of single-use-rows.ts. */
export const singleUseTables: Migration = {
  version: 12,
  name: 'single use',
  statements: [
    'create table single_uses (id_hash text primary key, purpose text not null, expires_at bigint not null)',
    'create index single_uses_by_end on single_uses (expires_at)',
  ],
}
