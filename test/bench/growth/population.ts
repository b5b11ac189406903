// Thousands of rows made by SQL, in a database that nothing runs on: copies of a row that the product itself wrote, and
// rows that have only what their columns demand. A million take seconds.

import { DatabaseSync } from '@photostructure/sqlite'
import { lengthenLedger } from '../../support/ledger/long-ledger.js'

export interface Population {
  /** The last `count` of the copies of the row that `where` chooses; `columns`: SQL of `n` for what differs. */
  copies(table: string, where: string, count: number, columns: Record<string, string>): void
  /** Rows of nothing but these columns; others that may not be null are empty or 0. */
  rows(table: string, count: number, columns: Record<string, string>): void
  /** So many more entries of the ledger, which verify. */
  ledger(count: number): void
}

interface Column {
  name: string
  type: string
  notnull: number
}

/** Calls `fill` in one transaction. `masterKey`: of the server. Throws SQLite's errors. */
export function populate(file: string, masterKey: Uint8Array, fill: (population: Population) => void): void {
  const database = new DatabaseSync(file)
  const columnsOf = (table: string) => database.prepare(`PRAGMA table_info(${table})`).all() as unknown as Column[]
  const numbers = (count: number) =>
    `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})`
  const insert = (table: string, count: number, values: readonly string[], from: string) => {
    if (count < 1) return
    const names = columnsOf(table).map(({ name }) => name)
    database.exec(
      `${numbers(count)} INSERT INTO ${table} (${names.join(', ')}) SELECT ${values.join(', ')} FROM ${from}`,
    )
  }
  database.exec('PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF; BEGIN')
  try {
    fill({
      copies(table, where, count, columns) {
        const values = columnsOf(table).map(({ name }) => columns[name] ?? `one.${name}`)
        insert(table, count, values, `numbers, (SELECT * FROM ${table} WHERE ${where} LIMIT 1) AS one`)
      },
      rows(table, count, columns) {
        const empty = ({ notnull, type }: Column) => (notnull === 0 ? 'NULL' : /TEXT/i.test(type) ? "''" : '0')
        insert(
          table,
          count,
          columnsOf(table).map((one) => columns[one.name] ?? empty(one)),
          'numbers',
        )
      },
      ledger(count) {
        lengthenLedger(database, masterKey, count)
        // No events are made of them: else that is measured.
        database.exec('UPDATE event_cursor SET position = (SELECT position FROM ledger_head)')
      },
    })
    database.exec('COMMIT')
    database.exec('ANALYZE')
  } finally {
    database.close()
  }
}

/** SQL of a GUID of its own for each `n` and kind. */
export function guid(kind: number): string {
  return `printf('%08x-0000-4000-8000-%012x', ${kind}, n)`
}
