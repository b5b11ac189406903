// Migration 14: the gaps of the change log. It only adds.

import type { Migration } from './schema-history.js'

/** Creates the table of the gaps. */
export const feedGapTables: Migration = {
  version: 14,
  name: 'gaps of the change log',
  statements: [
    'create table feed_gaps (until_seq bigint primary key, after_seq bigint not null, at bigint not null)',
    'create index feed_gaps_by_time on feed_gaps (at)',
  ],
}
