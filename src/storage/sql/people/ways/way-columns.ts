// Migration 39: by which way a session was made, and which ways a tenant takes (decision 130). It only adds; sessions
// from before it were made by no way that is known.

import type { Migration } from '../../schema/schema-history.js'

/** Extends sessions and tenants. */
export const wayColumns: Migration = {
  version: 39,
  name: 'sign-in by the ways of a tenant',
  statements: [
    `alter table sessions add column sign_in_way text not null default ''`,
    `alter table tenants add column own_sign_in text not null default 'allowed'
      check (own_sign_in in ('allowed', 'owners'))`,
    `alter table tenants add column sign_in_providers text`,
  ],
}
