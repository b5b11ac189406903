// Moves a store from its SQLite file to PostgreSQL: every row, compared one by one before anybody can use them. The
// file is read and never written; it is held so that no server can start on it meanwhile.

import { rename, writeFile } from 'node:fs/promises'
import { type DatabaseFacts, factsOf } from '../copies/database-facts.js'
import { openExclusively } from '../copies/exclusive.js'
import { toDisk } from '../copies/files.js'
import type { PostgresStoreOptions } from '../postgresql/postgresql.js'
import { readPostgresUrl } from '../postgresql/postgresql-address.js'
import { createPostgresPool, type PostgresConnection } from '../postgresql/postgresql-pool.js'
import { migrations } from '../schema/migrations.js'
import { migrate } from '../sqlite/migrate.js'
import { movedMarker } from '../sqlite/moved-marker.js'
import type { SqliteConnection } from '../sqlite/sqlite-connection.js'
import { compareTable, RowsDiffer } from './compare.js'
import { type MovedTable, tablesInOrder } from './moved-tables.js'
import { endOf, type MovedRow, type ReadRows, readPage } from './pages.js'
import { hasStore, homeOf, openStaging, type Staging, TargetRefuses } from './staging.js'

export interface MoveOptions {
  /** The SQLite file. */
  file: string
  target: Pick<PostgresStoreOptions, 'url' | 'ca' | 'connectMs'>
  /** Epoch milliseconds. */
  now: () => number
  /** Hears of each table when it is copied, and again when it is compared. */
  onTable: (step: TableStep) => void
  /** Looks at the source before anything is written; what it throws ends the move. */
  inspect: (source: Pick<SqliteConnection, 'all'>) => Promise<void>
}

export interface TableStep {
  step: 'copied' | 'compared'
  table: string
  rows: number
}

export interface Moved {
  tables: number
  rows: number
  /** Rows that an earlier attempt had copied. */
  resumed: number
  /** All was there before: only the file was marked. */
  already: boolean
}

const STATEMENT_MS = 10 * 60 * 1_000
const WAIT_MS = 10_000

/**
 * Moves the store, or goes on where an earlier attempt ended. When it resolves, PostgreSQL has every row and the file is
 * marked as moved, so that no server starts on it by mistake. Throws DatabaseInUse while a server runs on the file,
 * TargetRefuses, RowsDiffer, StoreUnavailable and what openPostgresStore throws; then PostgreSQL has no store, the file
 * is as it was, and the same call goes on.
 */
export async function moveStore(options: MoveOptions): Promise<Moved> {
  const { file, target, now } = options
  const source = await openExclusively(file)
  const { connectMs } = target
  const pool = createPostgresPool({
    address: readPostgresUrl(target.url, target.ca),
    connections: 1,
    connectMs,
    statementMs: STATEMENT_MS,
    onError: () => {},
  })
  try {
    migrate(source, migrations, now())
    await options.inspect(source)
    const moved = await pool.use(performance.now() + WAIT_MS + connectMs, (connection) =>
      moveInto(connection, source, options),
    )
    await markMoved(file, { at: new Date(now()).toISOString(), rows: moved.rows })
    return moved
  } finally {
    source.close()
    await pool.end()
  }
}

async function moveInto(
  connection: PostgresConnection,
  source: SqliteConnection,
  { now, onTable }: MoveOptions,
): Promise<Moved> {
  const tables = tablesInOrder(source)
  const home = await homeOf(connection)
  const read = readerOf(source)
  if (await hasStore(connection)) return confirmMoved(connection, { read, tables, onTable })
  const staging = await openStaging(connection, { home, source: identityOf(factsOf(source)), nowMs: now() })
  for (const table of tables)
    onTable({ step: 'copied', table: table.name, rows: await copyTable(read, staging, table) })
  const rows = await compareAll({ source: read, target: staging.read, tables, onTable })
  await staging.publish(tables)
  return { tables: tables.length, rows, resumed: staging.resumed, already: false }
}

/** A move that ended between its last transaction and the mark: everything is there already, or the move is refused. */
async function confirmMoved(
  connection: PostgresConnection,
  { read, tables, onTable }: { read: ReadRows; tables: MovedTable[]; onTable: MoveOptions['onTable'] },
): Promise<Moved> {
  const target: ReadRows = async (statement, parameters) =>
    (await connection.run(statement, parameters, STATEMENT_MS)).rows as MovedRow[]
  try {
    const rows = await compareAll({ source: read, target, tables, onTable })
    return { tables: tables.length, rows, resumed: rows, already: true }
  } catch (cause) {
    if (!(cause instanceof RowsDiffer)) throw cause
    const advice = 'name an empty database, or drop that store if nobody needs it'
    throw new TargetRefuses(`the database of store.url has a store already, and not this one: ${advice}`, { cause })
  }
}

async function copyTable(read: ReadRows, staging: Staging, table: MovedTable): Promise<number> {
  let { rows, after } = await staging.progressOf(table)
  for (;;) {
    const page = await readPage(read, table, after)
    if (page.length === 0) return rows
    rows += page.length
    after = endOf(table, page)
    await staging.add(table, page, { rows, after })
  }
}

async function compareAll({
  source,
  target,
  tables,
  onTable,
}: {
  source: ReadRows
  target: ReadRows
  tables: readonly MovedTable[]
  onTable: MoveOptions['onTable']
}): Promise<number> {
  let total = 0
  for (const table of tables) {
    const rows = await compareTable(source, target, table)
    total += rows
    onTable({ step: 'compared', table: table.name, rows })
  }
  return total
}

/** `$1` and its like are numbered parameters in SQLite too, when they are written `?1`. */
function readerOf(source: SqliteConnection): ReadRows {
  return async (statement, parameters) => source.all(statement.replaceAll(/\$(\d+)/g, '?$1'), parameters) as MovedRow[]
}

/** Two states of a store that differ in a write differ here. */
function identityOf({ change, ledger, rows, schemaVersion }: DatabaseFacts): string {
  return JSON.stringify({ change, ledger, rows, schemaVersion })
}

async function markMoved(file: string, what: { at: string; rows: number }): Promise<void> {
  const marker = movedMarker(file)
  await writeFile(`${marker}.new`, `${JSON.stringify(what)}\n`, { mode: 0o600, flush: true })
  await rename(`${marker}.new`, marker)
  await toDisk(marker)
}
