// What a present database knows of a copy, whichever version of the program it is of.

import { rm, writeFile } from 'node:fs/promises'
import { migrations } from '../schema/migrations.js'
import { migrate } from '../sqlite/migrate.js'
import type { SqliteConnection } from '../sqlite/sqlite-connection.js'
import { isDamaged } from '../sqlite/sqlite-errors.js'
import type { DatabaseFacts } from './database-facts.js'
import { openExclusively } from './exclusive.js'
import { continues } from './lineage.js'
import { columnsOf, tableRules } from './rules/table-rules.js'
import { keepEnded, type StillEnded } from './still-ended.js'

/** A database that nobody else has open, and what it says of itself. */
export interface Present {
  facts: DatabaseFacts
  /** Closing it lets others have the file again. */
  connection: SqliteConnection
}

interface Copy {
  /** A draft of this program's schema, which is changed. */
  file: string
  /** Of the copy as it was made. */
  facts: Pick<DatabaseFacts, 'ledger'>
}

/**
 * Ends in the copy what has ended in the present since. Undefined: the present cannot say, because it is not what became
 * of the copy, has another schema, or is damaged, which is a reason to restore. Throws the engine's other errors and those of the file system.
 */
export async function compareWith(present: Present, copy: Copy, nowMs: number): Promise<StillEnded | undefined> {
  const { connection, facts } = present
  try {
    if (facts.schemaVersion < migrations.length) return await compareOlder(connection, copy, nowMs)
    return isKnown(connection) && continues(connection, copy.facts)
      ? keepEnded(connection, copy.file, nowMs)
      : undefined
  } catch (error) {
    if (isDamaged(error)) return undefined
    throw error
  }
}

/** The present stays as it is, for somebody may want it back with the program of before: a copy of it is migrated. */
async function compareOlder(present: SqliteConnection, copy: Copy, nowMs: number): Promise<StillEnded | undefined> {
  const file = `${copy.file}-present`
  for (const path of [file, `${file}-journal`]) await rm(path, { force: true })
  // The engine fills a file that is there and empty, and leaves it to its owner alone.
  await writeFile(file, '', { mode: 0o600, flag: 'wx' })
  try {
    present.run('vacuum into ?', [file])
    const migrated = await openExclusively(file)
    try {
      migrate(migrated, migrations, nowMs)
      return continues(migrated, copy.facts) ? keepEnded(migrated, copy.file, nowMs) : undefined
    } finally {
      migrated.close()
    }
  } finally {
    for (const path of [file, `${file}-journal`]) await rm(path, { force: true })
  }
}

/** Migrations only add, so a newer schema has all that this program knows of; if one does not, nothing is said of it. */
function isKnown(connection: SqliteConnection): boolean {
  return Object.entries(tableRules).every(([table, rule]) => {
    const rows = connection.all('select name from pragma_table_info(?)', [table]) as { name: string }[]
    const there = new Set(rows.map(({ name }) => name))
    return columnsOf(rule).every((column) => there.has(column))
  })
}
