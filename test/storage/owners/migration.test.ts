// identity H3: a store of the version before owners gets them when it is brought up to date (decision 84), on both
// engines.
// run: apart

import { join } from 'node:path'
import t from 'tap'
import { readPostgresUrl } from '../../../src/storage/sql/postgresql/postgresql-address.js'
import { migratePostgres } from '../../../src/storage/sql/postgresql/postgresql-migrate.js'
import { createPostgresPool, type PostgresConnection } from '../../../src/storage/sql/postgresql/postgresql-pool.js'
import { migrations } from '../../../src/storage/sql/schema/migrations.js'
import { migrate } from '../../../src/storage/sql/sqlite/migrate.js'
import { createConnection } from '../../../src/storage/sql/sqlite/sqlite-connection.js'
import { openSqliteDatabase } from '../../../src/storage/sql/sqlite/sqlite-library.js'
import { startPostgres } from '../../support/databases/postgresql.js'

/** What the last version without owners had. */
const before = migrations.slice(0, 11)

const person = (id: string) =>
  `insert into users (id, email, email_verified, name, state, id_provider, created_at, updated_at)
   values ('${id}', '', 0, '${id}', 'enabled', 'local', 1, 1)`
const member = (user: string, tenant: string, role: string) =>
  `insert into memberships (user_id, tenant_id, role, created_at, updated_at) values ('${user}', '${tenant}', '${role}', 1, 1)`
const application = (id: string, tenant: string, by: string, at: number) =>
  `insert into applications (id, public_key, tenant_id, name, type, state, audience, created_by, created_at, updated_at)
   values ('${id}', 'pk ${id}', '${tenant}', '${id}', 'web', 'enabled', 'home', '${by}', ${at}, ${at})`

const rows = [
  "insert into tenants (id, name, state, created_at, updated_at) values ('contoso', 'Contoso', 'enabled', 1, 1)",
  "insert into tenants (id, name, state, created_at, updated_at) values ('fabrikam', 'Fabrikam', 'enabled', 1, 1)",
  ...['dora', 'gone', 'eve'].map(person),
  ...[member('dora', 'contoso', 'developer'), member('eve', 'fabrikam', 'owner')],
  application('of-dora', 'contoso', 'dora', 5),
  application('of-somebody-who-left', 'contoso', 'gone', 6),
  application('of-somebody-from-elsewhere', 'contoso', 'eve', 7),
  application('of-the-local-socket', 'contoso', '', 8),
  application('of-an-application', 'contoso', 'of-dora', 9),
  application('theirs', 'fabrikam', 'eve', 10),
  application('of-an-application-elsewhere', 'contoso', 'theirs', 11),
  application('of-itself', 'contoso', 'of-itself', 12),
]
const question = 'select application_id, owner_id, kind, added_by, added_at from application_owners order by added_at'
const expected = [
  { application_id: 'of-dora', owner_id: 'dora', kind: 'user', added_by: '', added_at: 5 },
  { application_id: 'of-an-application', owner_id: 'of-dora', kind: 'application', added_by: '', added_at: 9 },
  { application_id: 'theirs', owner_id: 'eve', kind: 'user', added_by: '', added_at: 10 },
]

t.test('identity H3: on SQLite the registrant of an application becomes its owner', async (t) => {
  const connection = createConnection(await openSqliteDatabase(join(t.testdir(), 'portcullis.db')))
  t.teardown(() => connection.close())
  migrate(connection, before, 1)
  for (const row of rows) connection.exec(row)
  migrate(connection, migrations, 2)
  t.same(connection.all(question, []), expected)
  t.same(connection.all('select * from new_redirect_origins', []), [], 'what was there before is not new')
  const epochs = connection.all("select distinct redirect_epochs from applications where redirect_epochs <> ''", [])
  t.same(epochs, [], 'and nobody is prompted for it again')
})

t.test('identity H3: on PostgreSQL too', { timeout: 120_000 }, async (t) => {
  const server = await startPostgres(t)
  const bounds = { connections: 3, connectMs: 10_000, statementMs: 20_000, waitMs: 40_000 }
  const address = readPostgresUrl(await server.newDatabase())
  const pool = createPostgresPool({ ...bounds, address, onError: () => {} })
  t.teardown(() => pool.end())
  const use = <T>(work: (connection: PostgresConnection) => Promise<T>) => pool.use(performance.now() + 40_000, work)
  const bring = (history: typeof migrations, nowMs: number) =>
    use((connection) => migratePostgres(connection, { history, nowMs, turnMs: 40_000, lockMs: 20_000 }))
  await bring(before, 1)
  await use(async (connection) => {
    for (const sql of ['begin read write', ...rows, 'commit']) await connection.run(sql)
  })
  await bring(migrations, 2)
  const found = (await use((connection) => connection.run(question))).rows as { added_at: unknown }[]
  t.same(
    found.map((row) => ({ ...row, added_at: Number(row.added_at) })),
    expected,
  )
  t.same((await use((connection) => connection.run('select * from new_redirect_origins'))).rows, [])
})
