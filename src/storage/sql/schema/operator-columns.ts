// Migration 6: who looks after the installation, and who registered an application. It only adds, with defaults, so
// that instances of the version before go on.

import type { Migration } from './schema-history.js'

/** Extends the people and the applications. */
export const operatorColumns: Migration = {
  version: 6,
  name: 'operators',
  statements: [
    'alter table users add column operator bigint not null default 0 check (operator in (0, 1))',
    // The id of the person or application; empty for what came from the local socket or before this was kept.
    `alter table applications add column created_by text not null default ''`,
  ],
}
