// Since when something is counted in a database.

import type { Migration } from '../schema/schema-history.js'
import type { Statements } from '../store.js'

/** When the migration that made the tables was applied (epoch ms). */
export async function countedSince(statements: Statements, { version }: Migration): Promise<number> {
  const row = await statements
    .selectFrom('schema_migrations')
    .select('applied_at')
    .where('version', '=', version)
    .executeTakeFirst()
  return Number(row?.applied_at ?? 0)
}
