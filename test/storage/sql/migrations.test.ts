import { join } from 'node:path'
import t, { type Test } from 'tap'
import { migrations } from '../../../src/storage/sql/schema/migrations.js'
import type { Migration } from '../../../src/storage/sql/schema/schema-history.js'
import { migrate } from '../../../src/storage/sql/sqlite/migrate.js'
import { openSqliteStore } from '../../../src/storage/sql/sqlite/sqlite.js'
import { createConnection, type SqliteConnection } from '../../../src/storage/sql/sqlite/sqlite-connection.js'
import { openSqliteDatabase } from '../../../src/storage/sql/sqlite/sqlite-library.js'
import { declaredTables } from '../../support/databases/declared-tables.js'

const [first] = migrations as readonly [Migration, Migration]
const second: Migration = {
  version: 2,
  name: 'second',
  statements: [
    'create table more (id text primary key, n bigint not null)',
    "insert into more (id, n) values ('a', 1)",
  ],
}

async function openBare(t: Test, file = join(t.testdir(), 'portcullis.db')): Promise<SqliteConnection> {
  const connection = createConnection(await openSqliteDatabase(file))
  t.teardown(() => connection.close())
  return connection
}

function tableNames(connection: SqliteConnection): string[] {
  const rows = connection.all("select name from sqlite_master where type = 'table' order by name", [])
  return (rows as { name: string }[]).map((row) => row.name)
}

/** The tables and columns of a database, in the words of tables.ts. */
function existingTables(connection: SqliteConnection): Record<string, string[]> {
  const describe = (table: string): string[] => {
    const columns = connection.all(`pragma table_info(${table})`, []) as {
      name: string
      type: string
      notnull: number
      pk: number
    }[]
    return columns.map(({ name, type, notnull, pk }) => {
      const kind = type.toLowerCase() === 'text' ? 'string' : 'number'
      return `${name} ${kind}${notnull === 0 && pk === 0 ? ' | null' : ''}`
    })
  }
  return Object.fromEntries(tableNames(connection).map((table) => [table, describe(table)]))
}

t.test('the migrations make exactly the tables and columns that tables.ts declares', async (t) => {
  const connection = await openBare(t)
  migrate(connection, migrations, 5)
  const declared = declaredTables()
  t.ok(Object.keys(declared).length >= 15)
  t.same(existingTables(connection), declared)
  const loose = connection.all("select name from pragma_table_list where schema = 'main' and strict = 0", [])
  t.same(
    (loose as { name: string }[]).filter((row) => !row.name.startsWith('sqlite_')),
    [],
    'every table is strict about types',
  )
  t.same(
    connection.all('select * from schema_migrations', []),
    migrations.map(({ version, name }) => ({ version, name, applied_at: 5 })),
  )
})

t.test('versions count from 1 without gaps, and every statement is one', async (t) => {
  t.same(
    migrations.map((migration) => migration.version),
    migrations.map((_, index) => index + 1),
  )
  for (const { statements } of migrations) for (const text of statements) t.notMatch(text, /;/)
})

t.test('migrating again does nothing, and adds only what is missing', async (t) => {
  const connection = await openBare(t)
  migrate(connection, [first], 1)
  connection.exec("insert into tenants values ('kept', 'kept', 'enabled', 1, 1)")
  migrate(connection, [first], 2)
  migrate(connection, [first, second], 3)
  t.same(connection.all('select version, applied_at from schema_migrations order by version', []), [
    { version: 1, applied_at: 1 },
    { version: 2, applied_at: 3 },
  ])
  t.same(connection.all('select id from tenants', []), [{ id: 'kept' }])
  t.same(connection.all('select n from more', []), [{ n: 1 }])
})

t.test('a migration that fails leaves the schema as it was, without the ones before it', async (t) => {
  const connection = await openBare(t)
  migrate(connection, [first], 1)
  const before = tableNames(connection)
  const failing: Migration = { version: 3, name: 'failing', statements: ['create table x (id text)', 'no sql'] }
  t.throws(() => migrate(connection, [first, second, failing], 2))
  t.same(tableNames(connection), before)
  migrate(connection, [first, second], 3)
  t.ok(tableNames(connection).includes('more'))
})

t.test('a schema newer than the program, or of another history, is refused and not changed', async (t) => {
  const file = join(t.testdir(), 'portcullis.db')
  const connection = await openBare(t, file)
  migrate(connection, [...migrations, { ...second, version: migrations.length + 1 }], 1)
  const before = tableNames(connection)
  const refusal = {
    code: 'unknown_schema',
    message: new RegExp(`schema version ${migrations.length + 1}, this program knows ${migrations.length}`),
  }
  await t.rejects(openSqliteStore({ file, busyTimeoutMs: 1_000 }), refusal)
  t.throws(() => migrate(connection, [{ ...first, name: 'renamed' }, second], 2), { code: 'unknown_schema' })
  t.same(tableNames(connection), before)
})

t.test('who holds the lock is waited for; a lock that stays is StoreUnavailable', async (t) => {
  const file = join(t.testdir(), 'portcullis.db')
  const other = await openBare(t, file)
  other.all('pragma journal_mode = wal', [])
  other.exec('begin immediate')
  await t.rejects(openSqliteStore({ file, busyTimeoutMs: 50 }), { code: 'store_unavailable' })
  const opening = openSqliteStore({ file, busyTimeoutMs: 10_000 })
  setTimeout(() => other.exec('rollback'), 30)
  const store = await opening
  t.teardown(() => store.close())
  await store.check()
})

t.test('F33 the version before reads and writes on while its file is brought up to date', async (t) => {
  const file = join(t.testdir(), 'portcullis.db')
  const [old, oldReader] = [await openBare(t, file), await openBare(t, file)]
  old.all('pragma journal_mode = wal', [])
  migrate(old, [first], 1)
  for (let i = 0; i < 50; i += 1)
    old.run('insert into tenants (id, name, state, created_at, updated_at) values (?, ?, ?, ?, ?)', [
      `t${i}`,
      'x',
      'enabled',
      1,
      1,
    ])
  oldReader.exec('begin')
  const count = (on: SqliteConnection): unknown => on.all('select count(*) as n from tenants', [])
  t.same(count(oldReader), [{ n: 50 }])
  const store = await openSqliteStore({ file, busyTimeoutMs: 1_000 })
  t.teardown(() => store.close())
  t.same(count(oldReader), [{ n: 50 }], 'in the midst of its own transaction')
  oldReader.exec('commit')
  old.run('insert into tenants (id, name, state, created_at, updated_at) values (?, ?, ?, ?, ?)', [
    'later',
    'x',
    'enabled',
    1,
    1,
  ])
  t.same(count(oldReader), [{ n: 51 }])
  t.equal((await store.reader.selectFrom('tenants').selectAll().execute()).length, 51)
  t.same(await store.reader.selectFrom('leases').selectAll().execute(), [])
})
