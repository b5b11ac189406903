// Migration 2: what several instances on one Store know about each other. It only adds, so that instances of the
// version before go on while it runs and after it.

import type { Migration } from './schema-history.js'

/** Creates the tables of instances and leases. */
export const instanceTables: Migration = {
  version: 2,
  name: 'instances and leases',
  statements: [
    `create table instances (
      id text primary key, started_at bigint not null, seen_at bigint not null, applied_seq bigint not null,
      name text not null)`,
    'create index instances_by_sight on instances (seen_at)',
    'create table leases (name text primary key, holder text not null, ends_at bigint not null)',
  ],
}
