// Every earlier version of the schema, with the rows that fit into it, is brought up to date by a start: no row is lost,
// what there was goes on working, and the audit log verifies. Migrations only add, so what an earlier version held is
// what today's database holds in the tables and columns of that version.
// full: a program for each version of the schema
// run: apart

import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { migrations } from '../../../src/storage/sql/schema/migrations.js'
import { migrate } from '../../../src/storage/sql/sqlite/migrate.js'
import { createConnection, type SqliteConnection } from '../../../src/storage/sql/sqlite/sqlite-connection.js'
import { openSqliteDatabase } from '../../../src/storage/sql/sqlite/sqlite-library.js'
import { call, demoToken, portcullis } from '../../support/programs/demo.js'
import { startProgram } from '../../support/programs/program.js'

t.setTimeout(900_000)

const database = 'portcullis.db'
/** Written by every start, or by the clock. */
const moving = new Set(['schema_migrations', 'sqlite_sequence', 'instances', 'history_slots'])

/** A socket's path has room for 103 bytes: tap's own folders are named after the whole test. */
function shortFolder(t: Pick<Test, 'teardown'>): string {
  const cwd = mkdtempSync(join(tmpdir(), 'pc-'))
  t.teardown(() => rmSync(cwd, { recursive: true, force: true }))
  return cwd
}

async function open(file: string): Promise<SqliteConnection> {
  const connection = createConnection(await openSqliteDatabase(file))
  connection.exec('pragma foreign_keys = off')
  return connection
}

function tables(connection: SqliteConnection, schema: string): string[] {
  const rows = connection.all(`select name from ${schema}.sqlite_master where type = 'table' order by name`, [])
  return (rows as { name: string }[]).map(({ name }) => name).filter((name) => !moving.has(name))
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

t.test('a start brings every earlier version up to date', async (t) => {
  const cwd = shortFolder(t)
  const first = await startProgram({ cwd })
  t.teardown(() => first.stop('SIGKILL'))
  for (const words of [
    ['tenant', 'create', 'Fabrikam'],
    ['app', 'create', 'Reports', '--permission', 'Subscription.Read.All', '--consent'],
    ['app', 'create', 'Portal', '--type', 'web', '--redirect-uri', 'https://app.example.com/callback'],
  ]) {
    const { code, stderr } = await portcullis(first, words)
    t.equal(code, 0, `${words.join(' ')}: ${stderr}`)
  }
  const token = await demoToken(first)
  const headers = { authorization: `Bearer ${token}` }
  t.equal((await call(first, '/api/v2/subscriptions', { headers })).status, 200)
  await first.stop()
  const source = join(first.folder, database)

  for (let version = 1; version < migrations.length; version++) {
    await t.test(`from version ${version}, ${migrations[version - 1]?.name}`, async (t) => {
      const there = shortFolder(t)
      const folder = join(there, 'data')
      cpSync(first.folder, folder, {
        recursive: true,
        filter: (path) => !path.includes(database) && !/\.(?:sock|lock)$/.test(path),
      })
      const file = join(folder, database)
      const counts = await earlier(version, source, file)
      t.ok((counts.get('applications') ?? 0) >= 3, 'it has applications')
      const program = await startProgram({
        cwd: there,
        ports: { public: Number(new URL(first.baseUrl).port), operator: Number(new URL(first.operatorUrl).port) },
      })
      t.teardown(() => program.stop('SIGKILL'))
      t.equal((await call(program, '/api/v2/subscriptions', { headers })).status, 200, 'a token of before goes on')
      const { code, stdout } = await portcullis(program, ['app', 'list'])
      t.match([code, stdout], [0, /Reports/], 'and what was registered is there')
      if (counts.has('ledger')) {
        const verified = await portcullis(program, ['audit', 'verify'])
        t.equal(verified.code, 0, `the audit log verifies: ${verified.stdout}${verified.stderr}`)
      }
      await program.stop()
      const connection = await open(file)
      for (const [table, before] of counts) t.ok(count(connection, table) >= before, `${table}: ${before} rows`)
      t.equal(count(connection, 'schema_migrations'), migrations.length)
      t.same(connection.all('pragma foreign_key_check', []), [], 'every reference leads somewhere')
      connection.close()
    })
  }
})
