// Every earlier version of the schema on PostgreSQL, with the rows that fit into it, is brought up to date by a start: no
// row is lost, what there was goes on working, and the audit log verifies. Of two instances that start at once one
// migrates.
// full: a program for each version of the schema
// run: apart

import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from 'pg'
import t, { type Test } from 'tap'
import { readPostgresUrl } from '../../../../src/storage/sql/postgresql/postgresql-address.js'
import { migratePostgres } from '../../../../src/storage/sql/postgresql/postgresql-migrate.js'
import { createPostgresPool } from '../../../../src/storage/sql/postgresql/postgresql-pool.js'
import { migrations } from '../../../../src/storage/sql/schema/migrations.js'
import { startPostgres } from '../../../support/databases/postgresql.js'
import { type Program, startProgram } from '../../../support/programs/program.js'
import { steadyPort } from '../../../support/programs/steady-port.js'
import {
  fillProgram,
  goesOn,
  movingTables,
  refusesLaterSchema,
  shortFolder,
} from '../../../support/programs/upgraded-program.js'

t.setTimeout(1_800_000)
const server = await startPostgres(t)
const { first, headers, ports } = await fillProgram(t, { PORTCULLIS_STORE: server.url })

/** Statements as the superuser: only it may put rows in before what they refer to. */
async function admin(t: Test, url: string): Promise<Client> {
  const address = new URL(server.adminUrl)
  address.pathname = new URL(url).pathname
  const client = new Client({ connectionString: address.href })
  client.on('error', () => {})
  await client.connect()
  t.teardown(() => client.end().catch(() => {}))
  await client.query("set session_replication_role = 'replica'")
  return client
}

async function tables(client: Client): Promise<string[]> {
  const { rows } = await client.query("select tablename as name from pg_tables where schemaname = 'public' order by 1")
  return rows.map(({ name }) => name).filter((name) => !movingTables.has(name))
}

async function columns(client: Client, table: string): Promise<string> {
  const { rows } = await client.query(
    'select column_name as name from information_schema.columns where table_name = $1 order by ordinal_position',
    [table],
  )
  return rows.map(({ name }) => `"${name}"`).join(', ')
}

async function count(client: Client, table: string): Promise<number> {
  return Number((await client.query(`select count(*) as n from ${table}`)).rows[0].n)
}

async function migrateTo(url: string, version: number): Promise<void> {
  const bounds = { connections: 1, connectMs: 30_000, statementMs: 60_000, waitMs: 60_000 }
  const pool = createPostgresPool({ ...bounds, address: readPostgresUrl(url), onError: () => {} })
  const wanted = { history: migrations.slice(0, version), nowMs: 1, turnMs: 60_000, lockMs: 60_000 }
  await pool.use(performance.now() + 60_000, (connection) => migratePostgres(connection, wanted))
  await pool.end()
}

/** A database of version `version` with what of the first program's fits; how many rows each table has. */
async function earlier(
  t: Test,
  version: number,
): Promise<{ url: string; client: Client; counts: Map<string, number> }> {
  const url = await server.newDatabase()
  await migrateTo(url, version)
  const [source, client] = await Promise.all([admin(t, server.url), admin(t, url)])
  const counts = new Map<string, number>()
  for (const table of await tables(client)) {
    const names = await columns(client, table)
    const { rows } = await source.query(`select json_agg(row_to_json(r)) as all from (select ${names} from ${table}) r`)
    await client.query(`delete from ${table}`)
    await client.query(
      `insert into ${table} (${names}) select ${names} from json_populate_recordset(null::${table}, $1)`,
      [JSON.stringify(rows[0].all ?? [])],
    )
    counts.set(table, await count(source, table))
    t.equal(await count(client, table), counts.get(table))
  }
  await source.end()
  return { url, client, counts }
}

/** A folder with the first program's keys: instances on one store share the master key. */
function beside(t: Test): string {
  const cwd = shortFolder(t)
  cpSync(first.folder, join(cwd, 'data'), { recursive: true, filter: (path) => !/\.(?:sock|lock)$/.test(path) })
  return cwd
}

async function start(t: Test, url: string, at = ports): Promise<Program> {
  const program = await startProgram({ cwd: beside(t), ports: at, env: { PORTCULLIS_STORE: url } })
  t.teardown(() => program.stop('SIGKILL'))
  return program
}

for (let version = 1; version < migrations.length; version++) {
  t.test(`a start brings version ${version}, ${migrations[version - 1]?.name}, up to date once`, async (t) => {
    const { url, client, counts } = await earlier(t, version)
    t.ok((counts.get('applications') ?? 0) >= 3, 'it has applications')
    const other = { public: await steadyPort(), operator: await steadyPort() }
    const second = version % 6 === 1 ? start(t, url, other) : undefined
    const [program] = await Promise.all([start(t, url), second])
    await goesOn(t, program, headers, counts.has('ledger'))
    await Promise.all([program.stop(), (await second)?.stop()])
    for (const [table, before] of counts) t.ok((await count(client, table)) >= before, `${table}: ${before} rows`)
    const { rows } = await client.query('select version, name from schema_migrations order by version')
    t.same(
      rows.map(({ version, name }) => [Number(version), name]),
      migrations.map(({ version, name }) => [version, name]),
      'each migration once',
    )
    await everyReferenceHolds(t, client)
  })
}

/** What was put in as the superuser was not looked at by the database. */
async function everyReferenceHolds(t: Test, client: Client): Promise<void> {
  const { rows } = await client.query(
    `select conrelid::regclass::text as "table", conname as name, pg_get_constraintdef(oid) as text
       from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace`,
  )
  t.ok(rows.length > 3)
  for (const { table, name, text } of rows) {
    await client.query(`alter table ${table} drop constraint ${name}`)
    await client.query(`alter table ${table} add constraint ${name} ${text}`)
  }
}

t.test('a program does not start on a schema that is newer than itself', async (t) => {
  const url = await server.newDatabase(server.url)
  const later = migrations.length + 1
  const client = await admin(t, url)
  await client.query("insert into schema_migrations (version, name, applied_at) values ($1, 'later', 1)", [later])
  await refusesLaterSchema(t, () => start(t, url), later)
  t.equal(await count(client, 'schema_migrations'), later, 'nothing was changed')
})
