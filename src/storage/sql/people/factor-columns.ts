// Migration 29: which people of a tenant need a second factor, and since when somebody knows that they lack one
// (decision 119). It only adds.

import type { Migration } from '../schema/schema-history.js'

/** Extends tenants and users. */
export const factorColumns: Migration = {
  version: 29,
  name: 'second factor by role',
  statements: [
    `alter table tenants add column second_factor text not null default 'none'
      check (second_factor in ('none', 'owner', 'administrator', 'developer', 'member'))`,
    `alter table users add column factor_demanded_at bigint`,
  ],
}
