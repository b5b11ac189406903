// Every earlier version of the schema, with the rows that fit into it, is brought up to date by a start: no row is lost,
// what there was goes on working, and the audit log verifies. Migrations only add, so what an earlier version held is
// what today's database holds in the tables and columns of that version.
// full: a program for each version of the schema
// run: apart

import { cpSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { migrations } from '../../../src/storage/sql/schema/migrations.js'
import { migrate } from '../../../src/storage/sql/sqlite/migrate.js'
import { createConnection, type SqliteConnection } from '../../../src/storage/sql/sqlite/sqlite-connection.js'
import { openSqliteDatabase } from '../../../src/storage/sql/sqlite/sqlite-library.js'
import { startProgram } from '../../support/programs/program.js'
import {
  fillProgram,
  goesOn,
  movingTables,
  refusesLaterSchema,
  shortFolder,
} from '../../support/programs/upgraded-program.js'

t.setTimeout(900_000)

const database = 'portcullis.db'
const { first, headers, ports } = await fillProgram(t)
const source = join(first.folder, database)

async function open(file: string): Promise<SqliteConnection> {
  const connection = createConnection(await openSqliteDatabase(file))
  connection.exec('pragma foreign_keys = off')
  return connection
}

function tables(connection: SqliteConnection, schema: string): string[] {
  const rows = connection.all(`select name from ${schema}.sqlite_master where type = 'table' order by name`, [])
  return (rows as { name: string }[]).map(({ name }) => name).filter((name) => !movingTables.has(name))
}

function columns(connection: SqliteConnection, table: string): string[] {
  return (connection.all(`pragma main.table_info(${table})`, []) as { name: string }[]).map(({ name }) => `"${name}"`)
}

function count(connection: SqliteConnection, table: string): number {
  const [row] = connection.all(`select count(*) as n from ${table}`, []) as { n: number }[]
  return Number(row?.n)
}

/** A database of version `version` at `file` with what of `source` fits; how many rows each table has. */
async function earlier(version: number, source: string, file: string): Promise<Map<string, number>> {
  const connection = await open(file)
  migrate(connection, migrations.slice(0, version), 1)
  connection.exec(`attach database '${source}' as today`)
  connection.exec('begin')
  const counts = new Map<string, number>()
  for (const table of tables(connection, 'main')) {
    const names = columns(connection, table).join(', ')
    connection.exec(`delete from main.${table}`)
    connection.exec(`insert into main.${table} (${names}) select ${names} from today.${table}`)
    counts.set(table, count(connection, `main.${table}`))
  }
  connection.exec('commit')
  connection.exec('detach database today')
  connection.close()
  return counts
}

/** A folder with what the first program has beside its database; where the database will be. */
function beside(t: Test): { cwd: string; file: string } {
  const cwd = shortFolder(t)
  const folder = join(cwd, 'data')
  const isKept = (path: string) => !path.includes(database) && !/\.(?:sock|lock)$/.test(path)
  cpSync(first.folder, folder, { recursive: true, filter: isKept })
  return { cwd, file: join(folder, database) }
}

for (let version = 1; version < migrations.length; version++) {
  t.test(`a start brings version ${version}, ${migrations[version - 1]?.name}, up to date`, async (t) => {
    const { cwd, file } = beside(t)
    const counts = await earlier(version, source, file)
    t.ok((counts.get('applications') ?? 0) >= 3, 'it has applications')
    const program = await startProgram({ cwd, ports })
    t.teardown(() => program.stop('SIGKILL'))
    await goesOn(t, program, headers, counts.has('ledger'))
    await program.stop()
    const connection = await open(file)
    for (const [table, before] of counts) t.ok(count(connection, table) >= before, `${table}: ${before} rows`)
    t.equal(count(connection, 'schema_migrations'), migrations.length)
    t.same(connection.all('pragma foreign_key_check', []), [], 'every reference leads somewhere')
    connection.close()
  })
}

t.test('a program does not start on a schema that is newer than itself', async (t) => {
  const { cwd, file } = beside(t)
  cpSync(source, file)
  const later = migrations.length + 1
  const connection = await open(file)
  connection.run("insert into schema_migrations (version, name, applied_at) values (?, 'later', 1)", [later])
  connection.close()
  await refusesLaterSchema(t, () => startProgram({ cwd, ports }), later)
})
