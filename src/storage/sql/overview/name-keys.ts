// What applications are found and sorted by: their names without the difference of upper and lower case, in one spelling
// of each character. Neither engine can do that for every alphabet, so it is a column of its own.

import { sql } from 'kysely'
import type { Migration } from '../schema/schema-history.js'
import type { Statements } from '../store.js'

/** Extends applications. Empty: written by a version before, until fillNameKeys has been there. */
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

/** Gives keys to at most `limit` applications that have none; how many. */
export async function fillNameKeys(tx: Statements, limit: number): Promise<number> {
  const rows = await tx
    .selectFrom('applications')
    .select(['id', 'name'])
    .where('name_key', '=', '')
    .limit(limit)
    .execute()
  for (const { id, name } of rows) {
    await tx
      .updateTable('applications')
      .set({ name_key: nameKey(name) })
      .where('id', '=', id)
      .execute()
  }
  return rows.length
}
