// A PostgreSQL that is not what it should be is refused: the wrong one behind TLS, one that forgets, one that only
// reads.
// full: a PostgreSQL for each thing that can be wrong with one
// run: apart

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { connectionFinding } from '../../../../src/cli/commands/doctor/doctor-storage.js'
import { warnOfConnections } from '../../../../src/cluster/connection-budget.js'
import { noteInstance } from '../../../../src/storage/sql/cluster/instances.js'
import { openPostgresStore, probePostgres } from '../../../../src/storage/sql/postgresql/postgresql.js'
import { startPostgres } from '../../../support/databases/postgresql.js'
import { makeCertificates } from '../../../support/databases/postgresql-certificates.js'
import { password } from '../../../support/databases/postgresql-folder.js'
import { openPostgresTestStore } from '../../../support/databases/postgresql-store.js'
import { tenantRow } from '../../../support/storage/temporary-store.js'

/** Longer than a machine stands still; what tests the time-out of a statement takes the hasty ones. */
const bounds = { connections: 3, connectMs: 10_000, statementMs: 10_000, waitMs: 10_000 }
const hastyBounds = { ...bounds, statementMs: 2_000 }
const certificates = makeCertificates(t.testdir(), 'localhost')
const server = await startPostgres(t, { tls: certificates })

async function refused(t: Test, work: Promise<{ close(): Promise<void> }>, expected: object): Promise<void> {
  const error = await work.then(
    (store) => store.close(),
    (thrown: unknown) => thrown,
  )
  t.match(error, expected)
  t.notOk(inspect(error, { depth: 9, showHidden: true }).includes(password), 'without the password')
}

t.test('TLS is verified: the authority, the name, and that there is TLS at all', async (t) => {
  const url = (await server.newDatabase()).replace('127.0.0.1', 'localhost')
  const { ca } = certificates
  const store = await openPostgresStore({ ...bounds, url, ca })
  t.teardown(() => store.close())
  const ssl = await sql<{ ssl: number }>`select ssl from pg_stat_ssl where pid = pg_backend_pid()`.execute(store.reader)
  t.equal(ssl.rows[0]?.ssl, 1)
  const other = makeCertificates(t.testdir(), 'localhost').ca
  const unavailable = { code: 'store_unavailable' }
  await refused(t, openPostgresStore({ ...bounds, url, ca: other }), unavailable)
  await refused(t, openPostgresStore({ ...bounds, url: `${url}?sslmode=require` }), unavailable)
  await refused(t, openPostgresStore({ ...bounds, url: url.replace('localhost', '127.0.0.1'), ca }), unavailable)
  const plain = await startPostgres(t)
  await refused(t, openPostgresStore({ ...bounds, url: plain.url, ca }), unavailable)
  t.notMatch(plain.log(), /authentication/, 'nothing was sent to a server without TLS')
})

t.test('a wrong password, user or database is unavailable, and says no secret', async (t) => {
  const wrong = [
    server.url.replace(password, `${password}x`),
    server.url.replace('portcullis:', 'nobody:'),
    server.url.replace('portcullis_1', 'none'),
    server.url.replace(`:${server.port}/`, ':1/'),
  ]
  for (const url of wrong) await refused(t, openPostgresStore({ ...bounds, url }), { code: 'store_unavailable' })
  t.match(await probePostgres({ ...bounds, url: server.url }), { serverVersion: /^\d+/ })
  await t.rejects(probePostgres({ ...bounds, url: wrong[0] ?? '' }), { code: 'store_unavailable' })
})

t.test('instances that may want more connections than the server takes are told so', async (t) => {
  const probed = await probePostgres({ ...bounds, url: await server.newDatabase() })
  t.match(probed, { connections: 97, instances: 0 }, 'of 100, without three for its administrator')
  const { store, url } = await openPostgresTestStore(t, server)
  const warnings: unknown[] = []
  const warned = async (instances: number, connections: number) => {
    const membership = { count: () => instances }
    const log = { warn: (facts: unknown) => void warnings.push(facts) }
    await warnOfConnections({ store, membership, connections, log })
    return warnings.splice(0)
  }
  t.same(await warned(9, 10), [])
  t.same(await warned(10, 10), [{ instances: 10, connectionsOfEach: 10, postgresqlTakes: 97 }])
  for (const [id, seenAt] of [
    ['a', Date.now()],
    ['b', Date.now()],
    ['dead', Date.now() - 3_600_000],
  ] as const) {
    await store.transaction((tx) => noteInstance(tx, { id, name: id, startedAt: 1, seenAt, appliedSeq: 1 }))
  }
  const probe = await probePostgres({ ...bounds, url })
  t.match(probe, { connections: 97, instances: 2 })
  t.equal(connectionFinding(probe, 48), undefined)
  t.match(connectionFinding(probe, 49), { state: 'warn', message: /takes 97 connections, and 2 instances .* 49 each/ })
  t.equal(connectionFinding({ connections: undefined, instances: 50 }, 50), undefined, 'a server that does not say')
})

t.test('a server that forgets what it acknowledged, or keeps text otherwise, is refused', async (t) => {
  const forgetful = await startPostgres(t, { settings: { fsync: 'off' } })
  await refused(t, openPostgresStore({ ...bounds, url: forgetful.url }), { code: 'unsafe_database', message: /fsync/ })
  await server.admin(
    `create database latin owner portcullis encoding 'LATIN1' locale_provider libc locale 'C' template template0`,
  )
  const latin = server.url.replace('portcullis_1', 'latin')
  await refused(t, openPostgresStore({ ...bounds, url: latin }), { code: 'unsafe_database', message: /UTF8/ })
})

t.test('commits are durable whatever the server, the role or the database is set to', async (t) => {
  const url = await server.newDatabase()
  const name = url.slice(url.lastIndexOf('/') + 1)
  const settings = [
    'synchronous_commit = off',
    'client_encoding = latin1',
    "default_transaction_isolation = 'serializable'",
  ]
  for (const setting of settings) await server.admin(`alter database ${name} set ${setting}`)
  const store = await openPostgresStore({ ...bounds, url })
  t.teardown(() => store.close())
  const show = async (on: typeof store.reader) =>
    (await sql<{ synchronous_commit: string }>`show synchronous_commit`.execute(on)).rows[0]
  t.same(await show(store.reader), { synchronous_commit: 'on' })
  t.same(await store.transaction(show), { synchronous_commit: 'on' })
  await store.transaction((tx) => tx.insertInto('tenants').values(tenantRow('é\u{1f600}')).execute())
  t.same(await store.reader.selectFrom('tenants').select('id').execute(), [{ id: 'é\u{1f600}' }])
})

t.test('a commit that a synchronous standby does not confirm is not acknowledged', async (t) => {
  const waiting = await startPostgres(t)
  const { url } = await openPostgresTestStore(t, waiting, bounds)
  await waiting.admin(`alter system set synchronous_standby_names = 'nobody'`)
  await waiting.admin('select pg_reload_conf()')
  const waits = async () => (await waiting.admin('show synchronous_standby_names'))[0]?.['synchronous_standby_names']
  while ((await waits()) !== 'nobody') await new Promise((resolve) => setTimeout(resolve, 10))
  const hasty = await openPostgresStore({ ...hastyBounds, url })
  t.teardown(() => hasty.close())
  const patient = await openPostgresStore({ ...bounds, statementMs: 20_000, url })
  t.teardown(() => patient.close())
  const write = (on: typeof hasty, id: string) =>
    on.transaction((tx) => tx.insertInto('tenants').values(tenantRow(id)).execute())
  await t.rejects(write(hasty, 'a'), { code: 'store_unavailable' }, 'not within the time-out')
  const cancelled = write(patient, 'b').catch((error: unknown) => error)
  // The server then answers as if all were well, and warns.
  const cancel = `select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'SyncRep' and query = 'commit'`
  let answered = false
  cancelled.finally(() => {
    answered = true
  })
  while (!answered) await waiting.admin(cancel)
  t.match(await cancelled, { code: 'store_unavailable', message: /standby/ })
})

t.test('a replica is unavailable at the start, and works once it is promoted', async (t) => {
  const replica = await startPostgres(t)
  const { store } = await openPostgresTestStore(t, replica, bounds)
  await store.transaction((tx) => tx.insertInto('tenants').values(tenantRow('a')).execute())
  await replica.stop('SIGINT')
  writeFileSync(join(replica.disk(), 'standby.signal'), '', { mode: 0o644 })
  await replica.start()
  await refused(t, openPostgresStore({ ...bounds, url: replica.url }), {
    code: 'store_unavailable',
    message: /replica/,
  })
  await t.rejects(store.check(), { code: 'store_unavailable', message: /replica/ }, 'an old primary is left at once')
  await replica.admin('select pg_promote()')
  await store.check()
  await store.transaction((tx) => tx.insertInto('tenants').values(tenantRow('b')).execute())
})

t.test('a stored number that would come back as another one is refused; others are numbers', async (t) => {
  const { store, url } = await openPostgresTestStore(t, server, bounds)
  await t.rejects(sql`select 9007199254740993::bigint as n`.execute(store.reader), { code: 'unsafe_integer' })
  const { rows } =
    await sql`select 9007199254740991::bigint as big, 1.5::float8 as half, true as yes, null::int8 as none`.execute(
      store.reader,
    )
  t.same(rows, [{ big: 9007199254740991, half: 1.5, yes: 1, none: null }])
  await t.rejects(sql`select nonsense`.execute(store.reader), { code: '42703' }, 'a mistake of ours is no outage')
  const hasty = await openPostgresStore({ ...hastyBounds, url })
  t.teardown(() => hasty.close())
  const sleeping = sql`select pg_sleep(30)`.execute(hasty.reader)
  await t.rejects(sleeping, { code: 'store_unavailable' }, 'the statement time-out')
})
