// Migration 41: which applications call others on for a person, and on whose calls (decision 154). It only adds.

import type { Migration } from '../schema/schema-history.js'

/** Creates the table. */
export const exchangeTable: Migration = {
  version: 41,
  name: 'token exchanges',
  statements: [
    `create table token_exchanges (
      user_id text not null, tenant_id text not null, application_id text not null, caller_id text not null,
      resource text not null, permissions text not null, first_at bigint not null, last_at bigint not null,
      primary key (user_id, tenant_id, application_id, caller_id, resource))`,
    'create index token_exchanges_by_application on token_exchanges (application_id, tenant_id)',
    'create index token_exchanges_by_caller on token_exchanges (caller_id)',
  ],
}
