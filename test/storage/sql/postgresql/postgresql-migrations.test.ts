// The schema on PostgreSQL: made once, whole or not at all, beside those who use it already.
// run: apart

import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { openPostgresStore } from '../../../../src/storage/sql/postgresql/postgresql.js'
import { readPostgresUrl } from '../../../../src/storage/sql/postgresql/postgresql-address.js'
import { migratePostgres } from '../../../../src/storage/sql/postgresql/postgresql-migrate.js'
import {
  createPostgresPool,
  type PostgresConnection,
  type PostgresPool,
} from '../../../../src/storage/sql/postgresql/postgresql-pool.js'
import { migrations } from '../../../../src/storage/sql/schema/migrations.js'
import type { Migration } from '../../../../src/storage/sql/schema/schema-history.js'
import { declaredTables } from '../../../support/databases/declared-tables.js'
import { startPostgres } from '../../../support/databases/postgresql.js'

t.setTimeout(120_000)
const server = await startPostgres(t)
const bounds = { connections: 3, connectMs: 10_000, statementMs: 20_000, waitMs: 40_000 }
const unavailable = { code: 'store_unavailable' }

function poolOn(t: Test, url: string): PostgresPool {
  const pool = createPostgresPool({ ...bounds, address: readPostgresUrl(url), onError: () => {} })
  t.teardown(() => pool.end())
  return pool
}

const use = <T>(pool: PostgresPool, work: (connection: PostgresConnection) => Promise<T>) =>
  pool.use(performance.now() + 40_000, work)

const rowsOf = async (pool: PostgresPool, sql: string) => (await use(pool, (connection) => connection.run(sql))).rows

const migrateOn = (
  pool: PostgresPool,
  history: readonly Migration[],
  wait: { turnMs: number; lockMs: number } = { turnMs: 40_000, lockMs: 20_000 },
  wrap: (connection: PostgresConnection) => PostgresConnection = (connection) => connection,
) => use(pool, (connection) => migratePostgres(wrap(connection), { history, nowMs: 5, ...wait }))

const tablesIn = async (pool: PostgresPool): Promise<string[]> =>
  (
    await rowsOf(
      pool,
      `select tablename as name from pg_tables where schemaname = 'public' order by tablename collate "C"`,
    )
  ).map((row: { name: string }) => row.name)

const addition = (statement: string): Migration => ({
  version: migrations.length + 1,
  name: 'addition',
  statements: ['create table more (id text primary key)', statement],
})

t.test(
  'the migrations make exactly the tables and columns that tables.ts declares, ordered by code point',
  async (t) => {
    const pool = poolOn(t, await server.newDatabase())
    await migrateOn(pool, migrations)
    const columns = await rowsOf(
      pool,
      `select table_name as "table", column_name as "column", data_type as type, is_nullable as nullable, collation_name as collation
     from information_schema.columns where table_schema = 'public' order by ordinal_position`,
    )
    const found: Record<string, string[]> = {}
    for (const { table, column, type, nullable } of columns) {
      const kind = type === 'text' ? 'string' : 'number'
      found[table] = [...(found[table] ?? []), `${column} ${kind}${nullable === 'YES' ? ' | null' : ''}`]
    }
    t.same(found, declaredTables())
    const otherwise = columns.filter(({ type, collation }) => type === 'text' && collation !== 'C')
    t.same(otherwise, [], 'every text is compared by code point')
  },
)

t.test('instances that start at once on an empty database all open the same migrated one', async (t) => {
  const url = await server.newDatabase()
  const stores = await Promise.all(Array.from({ length: 6 }, () => openPostgresStore({ ...bounds, url })))
  for (const store of stores) t.teardown(() => store.close())
  const rows = await stores[0]?.reader.selectFrom('schema_migrations').select('version').orderBy('version').execute()
  t.same(
    rows?.map((row) => row.version),
    migrations.map((migration) => migration.version),
  )
})

t.test('a kill inside a migration leaves nothing of it, and the next start does it all', async (t) => {
  const url = await server.newDatabase()
  for (const statements of [2, 4, 9, 30]) {
    const pool = poolOn(t, url)
    let left = statements
    const stopping = (connection: PostgresConnection): PostgresConnection => ({
      ...connection,
      async run(sql, parameters, limitMs) {
        left -= 1
        if (left === 0)
          await server.admin(`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'portcullis'`)
        return connection.run(sql, parameters, limitMs)
      },
    })
    await t.rejects(migrateOn(pool, migrations, undefined, stopping), unavailable)
    t.same(await tablesIn(poolOn(t, url)), [], `ended at statement ${statements}`)
  }
  const store = await openPostgresStore({ ...bounds, url })
  t.teardown(() => store.close())
  await store.check()
})

t.test('a migration that fails leaves the schema as it was', async (t) => {
  const pool = poolOn(t, await server.newDatabase())
  await migrateOn(pool, migrations)
  const before = await tablesIn(pool)
  await t.rejects(migrateOn(pool, [...migrations, addition('no sql')]), { code: '42601' })
  t.same(await tablesIn(pool), before)
})

t.test('a schema newer than the program, or of another history, is refused and not changed', async (t) => {
  const url = await server.newDatabase()
  const pool = poolOn(t, url)
  await migrateOn(pool, [...migrations, addition(`insert into more (id) values ('x')`)])
  const before = await tablesIn(pool)
  await t.rejects(openPostgresStore({ ...bounds, url }), {
    code: 'unknown_schema',
    message: new RegExp(`version ${migrations.length + 1}.*knows ${migrations.length}`),
  })
  const renamed = migrations.map((migration) => ({ ...migration, name: `another ${migration.name}` }))
  await t.rejects(migrateOn(pool, renamed), { code: 'unknown_schema' })
  t.same(await tablesIn(pool), before)
})

t.test('waiting is bounded: for another process that migrates, and for a table in use', async (t) => {
  const url = await server.newDatabase()
  const [pool, other] = [poolOn(t, url), poolOn(t, url)]
  const short = { turnMs: 150, lockMs: 150 }
  await use(other, async (holder) => {
    await holder.run('select pg_advisory_lock(5796830446438083692)')
    await t.rejects(migrateOn(pool, migrations, short), unavailable)
    holder.discard()
  })
  await migrateOn(pool, migrations)
  const altering = [...migrations, addition('alter table tenants add column more text')]
  await use(other, async (holder) => {
    await holder.run('begin')
    await holder.run('select * from tenants')
    await t.rejects(migrateOn(pool, altering, short), unavailable)
    await holder.run('select * from tenants')
    await holder.run('commit')
  })
  t.notOk((await tablesIn(pool)).includes('more'))
  await migrateOn(pool, altering)
})

t.test('F33 the version before reads and writes on while its database is brought up to date', async (t) => {
  const url = await server.newDatabase()
  const old = poolOn(t, url)
  await migrateOn(old, migrations.slice(0, 1))
  let written = 0
  let stop = false
  const insert = (id: string) =>
    use(old, async (connection) => {
      await connection.run('begin isolation level serializable read write')
      await connection.run(`insert into tenants values ($1, $1, 'enabled', 1, 1)`, [id])
      await connection.run('commit')
    })
  for (; written < 50; written += 1) await insert(`before ${written}`)
  const busy = (async () => {
    for (; !stop; written += 1) {
      await insert(`beside ${written}`)
      const { length } = await rowsOf(old, 'select * from tenants')
      if (length !== written + 1) throw new Error(`${length} rows after ${written + 1} writes`)
    }
  })()
  const store = await openPostgresStore({ ...bounds, url })
  t.teardown(() => store.close())
  const atOnce = written
  while (written < atOnce + 20) await pause(2)
  stop = true
  await busy
  t.equal((await store.reader.selectFrom('tenants').selectAll().execute()).length, written)
  t.ok((await tablesIn(old)).includes('leases'))
})
