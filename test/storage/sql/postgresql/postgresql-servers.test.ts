// Several servers in one URL: the primary is found, followed when a standby is promoted, and one that was left behind
// is not believed, whatever it says of itself.
// full: several PostgreSQL servers
// run: apart

import { sql } from 'kysely'
import t from 'tap'
import { openPostgresStore } from '../../../../src/storage/sql/postgresql/postgresql.js'
import type { Store } from '../../../../src/storage/sql/store.js'
import { type PostgresServer, startPostgres } from '../../../support/databases/postgresql.js'
import { tenantRow } from '../../../support/storage/temporary-store.js'
import { until } from '../../../support/traffic/until.js'

const bounds = { connections: 4, connectMs: 5_000, statementMs: 10_000, waitMs: 10_000 }

/** One URL with both, the standby first. */
const bothOf = (primary: PostgresServer, standby: PostgresServer): string =>
  primary.url.replace('127.0.0.1:', `127.0.0.1:${standby.port},127.0.0.1:`)

const write = (store: Store, id: string): Promise<unknown> =>
  store.transaction((tx) => tx.insertInto('tenants').values(tenantRow(id)).execute())

const written = async (server: PostgresServer): Promise<string[]> =>
  (await server.admin('select id from tenants order by id')).map(({ id }) => String(id))

async function portOf(store: Store): Promise<number> {
  const { rows } = await sql<{ port: string }>`select current_setting('port') as port`.execute(store.reader)
  return Number(rows[0]?.port)
}

t.test('the primary among several is used, and the standby once it is promoted', async (t) => {
  const primary = await startPostgres(t)
  const standby = await startPostgres(t, { standbyOf: primary })
  const errors: unknown[] = []
  const store = await openPostgresStore({
    ...bounds,
    url: bothOf(primary, standby),
    onError: (error) => errors.push(error),
  })
  t.teardown(() => store.close())
  await write(store, 'before')
  t.equal(await portOf(store), primary.port)
  await t.rejects(
    openPostgresStore({ ...bounds, url: standby.url }),
    { code: 'store_unavailable' },
    'alone it only reads',
  )
  const second = await openPostgresStore({ ...bounds, url: bothOf(primary, standby) })
  t.teardown(() => second.close())
  await until('the standby has it', async () => (await written(standby)).includes('before'))

  await primary.stop('SIGKILL')
  await t.rejects(write(store, 'during'), { code: 'store_unavailable' }, 'nobody is the primary')
  await standby.promote()
  await until('it writes', () => write(store, 'after').then(Boolean, () => false))
  t.equal(await portOf(store), standby.port)

  await until('by the other too', async () => (await portOf(second).catch(() => 0)) === standby.port)

  t.test('a former primary that comes back is not believed', async (t) => {
    await primary.start()
    const alone = await openPostgresStore({ ...bounds, url: primary.url })
    t.teardown(() => alone.close())
    t.equal(await portOf(alone), primary.port, 'who knows of no other takes it for the primary')
    // The connections to the new primary are lost, and both servers answer.
    await standby.stop('SIGKILL')
    await t.rejects(write(store, 'lost'), { code: 'store_unavailable' })
    await t.rejects(portOf(store), { code: 'store_unavailable' }, 'also when it is the only one')
    await t.rejects(portOf(second), 'whose connections broke')
    await standby.start()
    await until('the new primary is used', async () => (await portOf(store).catch(() => 0)) === standby.port)
    await until('by the other too', async () => (await portOf(second).catch(() => 0)) === standby.port)
    const fresh = await openPostgresStore({ ...bounds, url: bothOf(standby, primary) })
    t.teardown(() => fresh.close())
    t.equal(await portOf(fresh), standby.port, 'a new process asks both, and the newer history counts')
    t.same(await written(primary), ['before'])
    await until('it is said', () => errors.some((error) => /take writes: stop the former/.test(String(error))))
  })
})

t.test('a promotion beside a primary that goes on is noticed', async (t) => {
  const primary = await startPostgres(t)
  const standby = await startPostgres(t, { standbyOf: primary })
  const store = await openPostgresStore({ ...bounds, url: bothOf(primary, standby) })
  t.teardown(() => store.close())
  t.equal(await portOf(store), primary.port)
  await standby.promote()
  await until('the promoted one is used', async () => (await portOf(store).catch(() => 0)) === standby.port)
})

t.test('two that were promoted each for itself are no primary at all', async (t) => {
  const primary = await startPostgres(t)
  const one = await startPostgres(t, { standbyOf: primary })
  const other = await startPostgres(t, { standbyOf: primary })
  await primary.stop('SIGKILL')
  await Promise.all([one.promote(), other.promote()])
  await t.rejects(
    openPostgresStore({ ...bounds, url: bothOf(one, other) }).then((store) => portOf(store)),
    {
      code: 'store_unavailable',
    },
  )
})
