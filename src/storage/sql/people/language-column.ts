// Migration 31: the language that somebody wants to read.

import type { Migration } from '../schema/schema-history.js'

/** Extends users. Empty: they did not say, so their browser does. */
export const languageColumn: Migration = {
  version: 31,
  name: 'languages',
  statements: ["alter table users add column language text not null default ''"],
}
