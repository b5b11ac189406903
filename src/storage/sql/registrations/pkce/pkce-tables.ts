// Migration 20: how many authorization requests of an application came with a PKCE challenge, by day (decision 100). It
// only adds.

import type { Migration } from '../../schema/schema-history.js'

/** Creates the table of pkce-uses.ts. */
export const pkceTables: Migration = {
  version: 20,
  name: 'use of PKCE',
  statements: [
    `create table pkce_usage (
      application_id text not null, day bigint not null, with_challenge bigint not null,
      without_challenge bigint not null, last_without_at bigint not null, primary key (application_id, day))`,
    'create index pkce_usage_by_day on pkce_usage (day)',
  ],
}
