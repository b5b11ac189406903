// Migration 23: whether a tenant asks its administrators for a second factor.

import type { Migration } from '../schema/schema-history.js'

/** Extends tenants. */
export const administratorsColumn: Migration = {
  version: 23,
  name: 'administrators',
  statements: [
    `alter table tenants add column administrators text not null default 'any'
      check (administrators in ('any', 'secondFactor'))`,
  ],
}
