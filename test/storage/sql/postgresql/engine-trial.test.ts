// An engine that is not PostgreSQL is refused at the start, and with `engine: other` tried: each promise that it breaks
// keeps it from being used. The other engine is a PostgreSQL here whose functions of another schema come first.
// full: a PostgreSQL of its own
// run: apart

import t, { type Test } from 'tap'
import { openPostgresStore, probePostgres } from '../../../../src/storage/sql/postgresql/postgresql.js'
import { startPostgres } from '../../../support/databases/postgresql.js'
import { tenantRow } from '../../../support/storage/temporary-store.js'

const server = await startPostgres(t)
const bounds = { connections: 3, connectMs: 10_000, statementMs: 10_000, waitMs: 10_000 }

/** A database whose users find these functions before PostgreSQL's own. */
async function disguised(functions: readonly string[]): Promise<string> {
  const url = await server.newDatabase()
  const name = new URL(url).pathname.slice(1)
  const admin = server.adminUrl.replace(/[^/]+$/, name)
  const { Client } = await import('pg')
  const client = new Client({ connectionString: admin })
  await client.connect()
  for (const each of ['create schema guise', 'grant usage on schema guise to public', ...functions])
    await client.query(each)
  await client.query(`alter database ${name} set search_path = guise, pg_catalog, public`)
  await client.query('alter schema public owner to portcullis')
  await client.query('grant create on schema guise to public')
  await client.end()
  return url
}

const named = (version: string): string =>
  `create function guise.version() returns text language sql as $$ select '${version}' $$`

const cockroach = named('CockroachDB CCL v24.1.1 (x86_64-pc-linux-gnu, built 2024/06/05, go1.22.3)')

async function refusal(t: Test, work: Promise<{ close(): Promise<void> }>, message: RegExp): Promise<void> {
  await t.rejects(
    work.then((store) => store.close()),
    { code: 'unsafe_database', message },
  )
}

t.test(
  'another engine is refused by name, and taken when the operator says so and it keeps every promise',
  async (t) => {
    const url = await disguised([cockroach])
    await refusal(t, openPostgresStore({ ...bounds, url }), /is CockroachDB, not PostgreSQL/)
    await t.rejects(probePostgres({ ...bounds, url }), { code: 'unsafe_database' })
    const store = await openPostgresStore({ ...bounds, url, engine: 'other' })
    t.teardown(() => store.close())
    await store.transaction((tx) => tx.insertInto('tenants').values(tenantRow('t')).execute())
    t.same(await store.reader.selectFrom('tenants').select('id').execute(), [{ id: 't' }])
  },
)

t.test('tables that Citus has spread are refused', async (t) => {
  const catalogue = 'create table guise.pg_dist_partition (logicalrelid regclass)'
  const url = await disguised([catalogue, 'grant select on guise.pg_dist_partition to public'])
  const store = await openPostgresStore({ ...bounds, url })
  await store.close()
  t.match(await probePostgres({ ...bounds, url }), { hasCitus: true, isAurora: false })
  const { Client } = await import('pg')
  const client = new Client({ connectionString: server.adminUrl.replace(/[^/]+$/, new URL(url).pathname.slice(1)) })
  await client.connect()
  const { rows } = await client.query(
    `select relnamespace::regnamespace::text as schema from pg_class where relname = 'tenants'`,
  )
  await client.query(`insert into guise.pg_dist_partition values ('${rows[0].schema}.tenants')`)
  await client.end()
  await refusal(t, openPostgresStore({ ...bounds, url }), /Citus has spread tables/)
})
