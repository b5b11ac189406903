// Migration 18: what a row of the ledger follows. It only adds; rows of before say nothing of it.

import type { Migration } from './schema-history.js'

/** Extends the ledger. */
export const ledgerColumns: Migration = {
  version: 18,
  name: 'what a row of the ledger follows',
  statements: ['alter table ledger add column previous_mac text'],
}
