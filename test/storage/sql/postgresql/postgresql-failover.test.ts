// What an instance does with connections to a server that is no longer the primary: they are left, and hold nobody up.
// full: several PostgreSQL servers
// run: apart

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { openPostgresStore } from '../../../../src/storage/sql/postgresql/postgresql.js'
import type { Store } from '../../../../src/storage/sql/store.js'
import { type PostgresServer, startPostgres } from '../../../support/databases/postgresql.js'
import { tenantRow } from '../../../support/storage/temporary-store.js'
import { until } from '../../../support/traffic/until.js'

/** Statements may take a minute: what ends sooner was not ended by that. */
const bounds = { connections: 2, connectMs: 5_000, statementMs: 60_000, waitMs: 60_000 }
const unavailable = { code: 'store_unavailable' }

const write = (store: Store, id: string): Promise<unknown> =>
  store.transaction((tx) => tx.insertInto('tenants').values(tenantRow(id)).execute())

const count = async (server: PostgresServer, id: string): Promise<number> =>
  Number((await server.admin(`select count(*)::int as n from tenants where id = '${id}'`))[0]?.['n'])

async function portOf(store: Store): Promise<number> {
  const { rows } = await sql<{ port: string }>`select current_setting('port') as port`.execute(store.reader)
  return Number(rows[0]?.port)
}

async function open(t: Test, url: string, more: Partial<typeof bounds> = {}): Promise<Store> {
  const store = await openPostgresStore({ ...bounds, ...more, url })
  t.teardown(() => store.close())
  return store
}

/** A primary whose commits wait for its standby. */
async function pair(t: Test): Promise<{ primary: PostgresServer; standby: PostgresServer }> {
  const primary = await startPostgres(t)
  const standby = await startPostgres(t, { standbyOf: primary })
  await primary.admin(`alter system set synchronous_standby_names = 'ANY 1 (standby)'`)
  await primary.admin('select pg_reload_conf()')
  return { primary, standby }
}

/** A proxy as operators have it before PostgreSQL: it leads to the primary, and leaves connections of before as they are. */
async function startFollower(t: Test, first: number): Promise<{ port: number; switchTo(port: number): void }> {
  let target = first
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1')
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => {}).on('close', () => other.destroy())
      socket.pipe(other)
    }
  }).listen(0, '127.0.0.1')
  t.teardown(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    switchTo(port) {
      target = port
    },
  }
}

t.test('a commit that waits on a former primary is given up when another primary is seen', async (t) => {
  const { primary, standby } = await pair(t)
  const store = await open(t, primary.url.replace('127.0.0.1:', `127.0.0.1:${standby.port},127.0.0.1:`))
  await write(store, 'before')
  await standby.promote()
  const began = performance.now()
  await t.rejects(Promise.all([write(store, 'stuck-1'), write(store, 'stuck-2')]), unavailable)
  await until('the promoted one is written to', () => write(store, 'after').then(Boolean, () => false))
  t.ok(performance.now() - began < 45_000, 'and not for as long as a statement may take')
  t.same([await count(standby, 'after'), await count(standby, 'stuck-1')], [1, 0])
})

t.test('after a connection broke, all servers are looked at before another is made', async (t) => {
  const { primary, standby } = await pair(t)
  const store = await open(t, primary.url.replace('/portcullis_1', `,127.0.0.1:${standby.port}/portcullis_1`))
  await write(store, 'before')
  // Gone, replaced and back between two statements: its port answers again, and it calls itself primary.
  await primary.stop('SIGKILL')
  await standby.promote()
  await primary.start()
  await until('a write', () => write(store, 'after').then(Boolean, () => false))
  t.same([await count(standby, 'after'), await count(primary, 'after')], [1, 0])
})

t.test(
  'behind a proxy that follows the primary: former ones are left, refused, and cost no place in the pool',
  async (t) => {
    const { primary, standby } = await pair(t)
    const follower = await startFollower(t, primary.port)
    const store = await open(t, primary.url.replace(`:${primary.port}/`, `:${follower.port}/`))
    await write(store, 'before')
    await standby.promote()
    follower.switchTo(standby.port)
    // One commit waits on the former primary, over a connection that the proxy left as it was.
    const stuck = write(store, 'stuck').catch((error: unknown) => error)
    await until('the new primary answers', async () => (await portOf(store).catch(() => 0)) === standby.port)
    t.match(await stuck, unavailable, 'which ends with the first connection to the new one')
    await write(store, 'after')
    t.equal(await count(standby, 'after'), 1)

    // The proxy errs, more often than there are places.
    follower.switchTo(primary.port)
    await standby.stop('SIGKILL')
    for (let turn = 0; turn < bounds.connections * 3; turn += 1) {
      await t.rejects(write(store, `lost-${turn}`), {
        ...unavailable,
        message: /former primary|connection|cannot be used/,
      })
    }
    await standby.start()
    follower.switchTo(standby.port)
    await until('it is written to again', () => write(store, 'again').then(Boolean, () => false))
    t.equal(await count(standby, 'again'), 1)
    t.equal(await count(primary, 'lost-0'), 0, 'the former one was not written to')
  },
)

t.test('an instance that reaches only the former primary acknowledges nothing', async (t) => {
  const { primary, standby } = await pair(t)
  const alone = await open(t, primary.url, { statementMs: 1_000, waitMs: 5_000 })
  await write(alone, 'before')
  await standby.promote()
  await t.rejects(write(alone, 'lost'), unavailable)
  t.equal(await count(standby, 'lost'), 0)
})
