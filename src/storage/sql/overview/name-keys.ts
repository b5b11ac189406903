// What applications are found and sorted by: their names without the difference of upper and lower case, in one spelling
// of each character. Neither engine can do that for every alphabet, so it is a column of its own.

import { sql } from 'kysely'
import type { Migration } from '../schema/schema-history.js'

/** Extends applications. Empty, or of a former name: written by a version before, until the leader has been there. */
export const nameKeyColumn: Migration = {
  version: 37,
  name: 'keys of names',
  statements: [
    "alter table applications add column name_key text not null default ''",
    'create index applications_by_name_key on applications (name_key, id, state)',
    'create index applications_by_tenant_and_name_key on applications (tenant_id, name_key, id, state)',
  ],
}

/** Of a name, or of what somebody looks for. */
export function nameKey(name: string): string {
  return name.normalize('NFKC').toLowerCase()
}

/** Whether a name has `part` in it, in either case of letters. */
export function hasInName(part: string) {
  const pattern = `%${nameKey(part).replaceAll(/[\\%_]/g, '\\$&')}%`
  return sql<boolean>`name_key like ${pattern} escape '\\'`
}
