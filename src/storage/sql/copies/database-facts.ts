// What a database file says of itself: enough to tell two states of it apart, and to say what a copy holds.

import type { SqliteConnection } from '../sqlite/sqlite-connection.js'

/** A file is not one of this program's databases. */
export class NotADatabase extends Error {
  readonly code = 'not_a_database'
}

export interface DatabaseFacts {
  /** How many migrations it has been through. */
  schemaVersion: number
  /** Rows by table. */
  rows: Readonly<Record<string, number>>
  /** The last number of the change log. */
  change: number
  /** How many rows the audit log has had, and the mac of the last one. */
  ledger: { position: number; mac: string }
}

type Reads = Pick<SqliteConnection, 'all'>

/** Reads the facts. Throws NotADatabase for a file of something else, and the engine's errors. */
export function factsOf(connection: Reads): DatabaseFacts {
  const tables = tableNames(connection)
  for (const needed of ['schema_migrations', 'feed_head', 'ledger_head']) {
    if (!tables.includes(needed)) throw new NotADatabase(`there is no table ${needed}`)
  }
  const rows = Object.fromEntries(
    tables.map((table) => [table, numberOf(connection, `select count(*) as n from ${table}`)]),
  )
  const [ledger] = connection.all('select position, mac from ledger_head where id = 1', []) as DatabaseFacts['ledger'][]
  return {
    schemaVersion: numberOf(connection, 'select coalesce(max(version), 0) as n from schema_migrations'),
    rows,
    change: numberOf(connection, 'select coalesce(max(seq), 0) as n from feed_head'),
    ledger: { position: ledger?.position ?? 0, mac: ledger?.mac ?? '' },
  }
}

/** The tables of this program, by name. */
export function tableNames(connection: Reads): string[] {
  const listed = connection.all(
    "select name from sqlite_master where type = 'table' and name not like 'sqlite\\_%' escape '\\' order by name",
    [],
  )
  return (listed as { name: string }[]).map(({ name }) => name)
}

function numberOf(connection: Reads, statement: string): number {
  const [row] = connection.all(statement, []) as { n: number }[]
  return Number(row?.n ?? 0)
}
