// Which tables a move takes, what each row of them is known by, and in which order they go: what others refer to first.

import { tableNames } from '../copies/database-facts.js'
import type { SqliteConnection } from '../sqlite/sqlite-connection.js'

export interface MovedTable {
  name: string
  columns: readonly string[]
  /** The primary key, in its order. */
  key: readonly string[]
}

type Reads = Pick<SqliteConnection, 'all'>

/** Each new database has its own: which migrations it has been through, and when. */
const ownTable = 'schema_migrations'

/** The tables of a database but its own, each behind those that it refers to. Throws Error for a circle. */
export function tablesInOrder(source: Reads): MovedTable[] {
  const waiting = new Map(
    tableNames(source)
      .filter((name) => name !== ownTable)
      .map((name) => [name, { table: describe(source, name), needs: referencesOf(source, name) }]),
  )
  const ordered: MovedTable[] = []
  while (waiting.size > 0) {
    const ready = [...waiting.values()].filter(({ needs }) => needs.every((name) => !waiting.has(name)))
    if (ready.length === 0) throw new Error(`tables refer to each other in a circle: ${[...waiting.keys()].join(', ')}`)
    for (const { table } of ready) {
      ordered.push(table)
      waiting.delete(table.name)
    }
  }
  return ordered
}

function describe(source: Reads, name: string): MovedTable {
  const columns = source.all('select name, pk from pragma_table_info(?) order by cid', [name]) as {
    name: string
    pk: number
  }[]
  const key = columns.filter(({ pk }) => pk > 0).sort((one, other) => one.pk - other.pk)
  if (key.length === 0) throw new Error(`the table ${name} has no primary key`)
  return { name, columns: columns.map((column) => column.name), key: key.map((column) => column.name) }
}

/** The other tables that rows of `name` refer to. Text that refers to its own table would need an order of rows. */
function referencesOf(source: Reads, name: string): string[] {
  const rows = source.all('select distinct "table" as other from pragma_foreign_key_list(?)', [name])
  return (rows as { other: string }[]).map(({ other }) => other)
}
