// Migration 10: recorded decisions. It only adds.

import type { Migration } from './schema-history.js'

/** Creates the table of decision-rows.ts. */
export const decisionTables: Migration = {
  version: 10,
  name: 'recorded decisions',
  statements: [
    `create table recorded_decisions (
      id text primary key, at bigint not null, application_id text not null, proved bigint not null, what text not null,
      outcome text not null, reason text not null, status bigint not null, number bigint, request_id text not null,
      tenant_id text, user_id text, route text, method text, grant_type text, permissions text not null)`,
    'create index recorded_decisions_by_application on recorded_decisions (application_id, proved, at)',
    'create index recorded_decisions_by_request on recorded_decisions (request_id)',
    'create index recorded_decisions_by_time on recorded_decisions (at, id)',
  ],
}
