// What becomes of a Store when PostgreSQL dies, hangs, refuses, or loses the wire.
// full: kills and stops PostgreSQL
// run: apart

import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { inspect } from 'node:util'
import t, { type Test } from 'tap'
import { openPostgresStore, probePostgres } from '../../../../src/storage/sql/postgresql/postgresql.js'
import type { Store } from '../../../../src/storage/sql/store.js'
import { startPostgres } from '../../../support/databases/postgresql.js'
import { password } from '../../../support/databases/postgresql-folder.js'
import { startPostgresProxy } from '../../../support/databases/postgresql-proxy.js'
import { openPostgresTestStore } from '../../../support/databases/postgresql-store.js'
import { tenantRow } from '../../../support/storage/temporary-store.js'
import { until } from '../../../support/traffic/until.js'

t.setTimeout(200_000)
const server = await startPostgres(t)
const unavailable = { code: 'store_unavailable' }
/** Of a Store that is to give up soon; the others have those of openPostgresTestStore. */
const bounds = { connections: 3, connectMs: 300, statementMs: 300, waitMs: 300 }
/** Far more than connecting, waiting and one statement take, so that a machine may stand still meanwhile. */
const boundMs = 15_000
/** How long an answer may take once PostgreSQL answers, with the same slack. */
const recoveryMs = 10_000

/** Two rows that belong together. */
const write = (store: Store, id: string): Promise<void> =>
  store.transaction(async (tx) => {
    await tx
      .insertInto('tenants')
      .values(tenantRow(`${id}-one`))
      .execute()
    await tx
      .insertInto('tenants')
      .values(tenantRow(`${id}-two`))
      .execute()
  })

async function ids(store: Store): Promise<string[]> {
  return (await store.reader.selectFrom('tenants').select('id').orderBy('id').execute()).map((row) => row.id)
}

/** What `work` gives at last: with short time-outs a busy machine alone may refuse it. Throws after half a minute. */
async function persistently<T>(work: (attempt: number) => Promise<T>): Promise<T> {
  const since = performance.now()
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work(attempt)
    } catch (error) {
      const { code } = error as { code?: string }
      if (code !== unavailable.code || performance.now() - since > 30_000) throw error
      await pause(20)
    }
  }
}

/** Milliseconds until the Store answers by itself again. Throws after half a minute. */
async function recovered(store: Store): Promise<number> {
  const since = performance.now()
  await persistently(() => store.check())
  return performance.now() - since
}

/** A Store that gives up soon, and beside it on the same new database a patient one that makes it. */
async function openHasty(t: Test, connections = bounds.connections): Promise<{ store: Store; patient: Store }> {
  const { store: patient, url } = await openPostgresTestStore(t, server)
  const hasty = { ...bounds, connections, url: `${url}?application_name=hasty` }
  const store = await persistently(() => openPostgresStore(hasty))
  t.teardown(() => store.close())
  return { store, patient }
}

async function refused(t: Test, work: Promise<unknown>, what: string): Promise<void> {
  const since = performance.now()
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  t.match(error, unavailable, what)
  t.ok(performance.now() - since < boundMs, `${what}: refused after ${Math.round(performance.now() - since)} ms`)
  t.notOk(inspect(error, { depth: 9, showHidden: true }).includes(password), `${what}: without the password`)
}

t.test('F8 kill -9 between two statements leaves nothing; the Store recovers by itself', async (t) => {
  const { store, patient } = await openHasty(t)
  await write(patient, 'before')
  let isKilled = false
  const halve = () =>
    store.transaction(async (tx) => {
      await tx.insertInto('tenants').values(tenantRow('half')).execute()
      await server.stop('SIGKILL')
      isKilled = true
      await tx.insertInto('tenants').values(tenantRow('other half')).execute()
    })
  const halved = async (): Promise<void> => {
    while (!isKilled) {
      await halve().catch((error: unknown) => {
        if (isKilled) throw error
      })
    }
  }
  await refused(t, halved(), 'the transaction')
  await refused(t, ids(store), 'reading')
  await refused(t, write(store, 'down'), 'writing')
  await refused(t, store.check(), 'checking')
  await server.start()
  const tookMs = await recovered(store)
  t.ok(tookMs < recoveryMs, `it answers ${Math.round(tookMs)} ms after PostgreSQL does`)
  t.same(await persistently(() => ids(store)), ['before-one', 'before-two'])
  await persistently((attempt) => write(store, `later-${attempt}`))
})

t.test('F8 kill -9 during acknowledged writes: none is missing, none half, none twice', async (t) => {
  const { store } = await openHasty(t, 6)
  const acknowledged: string[] = []
  const refusals = new Set<string>()
  let stop = false
  const writer = async (name: string): Promise<void> => {
    for (let i = 0; !stop; i += 1) {
      const id = `${name}-${i}`
      await write(store, id).then(
        () => acknowledged.push(id),
        (error: { code?: string }) => {
          refusals.add(String(error.code))
          return pause(5)
        },
      )
    }
  }
  const writers = ['a', 'b', 'c', 'd'].map(writer)
  for (let kill = 0; kill < 3; kill += 1) {
    const enough = acknowledged.length + 20
    while (acknowledged.length < enough) await pause(3)
    await server.stop('SIGKILL')
    await server.start()
    await recovered(store)
  }
  stop = true
  await Promise.all(writers)
  t.same([...refusals], [unavailable.code], 'those that failed got the refusal')
  const there = new Set(await persistently(() => ids(store)))
  const missing = acknowledged.filter((id) => !there.has(`${id}-one`) || !there.has(`${id}-two`))
  t.same(missing, [], `${acknowledged.length} writes were acknowledged`)
  const half = [...there].filter(
    (id) => !there.has(id.replace(/-(one|two)$/, (_, end) => (end === 'one' ? '-two' : '-one'))),
  )
  t.same(half, [], 'what was not acknowledged is there wholly or not at all')
})

t.test('F8 a commit whose answer is lost is unavailable, not repeated, and wholly there or not', async (t) => {
  const proxy = await startPostgresProxy(t, server.port)
  const { store, url } = await openPostgresTestStore(t, server)
  // Nothing here takes its time-outs: the wire is cut.
  const patience = { connections: 3, connectMs: 10_000, statementMs: 10_000, waitMs: 10_000 }
  const through = await openPostgresStore({ ...patience, url: proxy.urlOf(url) })
  t.teardown(() => through.close())
  for (const where of ['before the server', 'before the answer'] as const) {
    proxy.cutNextCommit(where)
    const cut = proxy.cut()
    let runs = 0
    const writing = through.transaction(async (tx) => {
      runs += 1
      await tx
        .insertInto('tenants')
        .values([tenantRow(`${where} 1`), tenantRow(`${where} 2`)])
        .execute()
    })
    await refused(t, writing, where)
    await cut
    t.equal(runs, 1, 'it is not tried again: it may have been written')
    const expected = where === 'before the answer' ? [`${where} 1`, `${where} 2`] : []
    t.same(
      (await ids(store)).filter((id) => id.startsWith(where)),
      expected,
    )
    await recovered(through)
  }
})

t.test(
  'F9 a PostgreSQL that hangs holds nobody up for longer than the time-outs, and the pool stays whole',
  async (t) => {
    const { store, patient } = await openHasty(t)
    await write(patient, 'before')
    for (let round = 0; round < 2; round += 1) {
      server.pause()
      const calls = Array.from({ length: 9 }, (_, i) => (i % 2 === 0 ? ids(store) : write(store, `hung-${round}-${i}`)))
      await Promise.all(calls.map((call, i) => refused(t, call, `call ${i}`)))
      await refused(t, store.check(), 'once more')
      server.resume()
      const tookMs = await recovered(store)
      t.ok(tookMs < recoveryMs, `it answers ${Math.round(tookMs)} ms after PostgreSQL does`)
    }
    await persistently(() => Promise.all(Array.from({ length: 20 }, () => store.check())))
    const open = async () => {
      const [row] = await server.admin(
        `select count(*)::int as n from pg_stat_activity where application_name = 'hasty'`,
      )
      return Number(row?.['n'])
    }
    t.ok((await open()) > 0)
    // The server notices those that were given up when it writes to them.
    await until('no more connections than configured', async () => (await open()) <= bounds.connections)
  },
)

t.test('F10 when all connections are out, the next call is refused after the wait; then it goes on', async (t) => {
  const { store } = await openPostgresTestStore(t, server, { connections: bounds.connections, waitMs: bounds.waitMs })
  let finish = (): void => {}
  const held = new Promise<void>((resolve) => {
    finish = resolve
  })
  let inside = 0
  const holding = Array.from({ length: bounds.connections }, () =>
    store.snapshot(async () => {
      inside += 1
      await held
    }),
  )
  while (inside < bounds.connections) await pause(2)
  await refused(t, store.check(), 'reading')
  await refused(t, write(store, 'x'), 'writing')
  finish()
  await Promise.all(holding)
  await write(store, 'x')
})

t.test('F10 writers that wait for a lock leave connections to readers', async (t) => {
  const { store } = await openPostgresTestStore(t, server, { connections: bounds.connections })
  await write(store, 'x')
  let finish: (() => void) | undefined
  const holding = store.transaction(async (tx) => {
    await tx.updateTable('tenants').set({ name: 'held' }).execute()
    await new Promise<void>((resolve) => {
      finish = resolve
    })
  })
  await until('the lock to be held', () => finish !== undefined)
  const waiting = Array.from({ length: 5 }, () => write(store, 'x').catch((error: { code: string }) => error.code))
  await pause(20)
  for (let read = 0; read < 5; read += 1) t.equal((await ids(store)).length, 2)
  finish?.()
  await holding
  await Promise.all(waiting)
})

t.test('F10 a server that takes no more connections is unavailable at once', async (t) => {
  const few = await startPostgres(t, { settings: { max_connections: '5' } })
  const first = await openPostgresTestStore(t, few, { connections: 2 })
  await Promise.all([first.store.check(), first.store.check(), first.store.snapshot(() => first.store.check())])
  const second = openPostgresStore({ ...bounds, url: first.url })
  t.teardown(() => second.then((store) => store.close()).catch(() => {}))
  await refused(t, second, 'a second instance')
  await first.store.check()
})

t.test('an ended connection is not used again, no matter who ended it; no detail of it is shown', async (t) => {
  const heard: unknown[] = []
  const onError = (error: unknown) => heard.push(error)
  const { store, url } = await openPostgresTestStore(t, server, { connections: bounds.connections, onError })
  const end = () => server.admin(`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'portcullis'`)
  await Promise.all([store.check(), store.check(), store.check()])
  await end()
  while (heard.length === 0) await pause(5)
  t.match(heard[0], unavailable)
  t.notOk(inspect(heard, { depth: 9, showHidden: true }).includes(password))
  t.ok((await recovered(store)) < recoveryMs)
  const ended = store.transaction(async (tx) => {
    await tx.insertInto('tenants').values(tenantRow('ended')).execute()
    await end()
    await tx.insertInto('tenants').values(tenantRow('ended too')).execute()
  })
  await refused(t, ended, 'a transaction whose connection is ended')
  await recovered(store)
  t.same(await persistently(() => ids(store)), [])
  const hasty = await persistently(() => openPostgresStore({ ...bounds, url }))
  t.teardown(() => hasty.close())
  const idling = hasty.transaction(async (tx) => {
    await tx.insertInto('tenants').values(tenantRow('idle')).execute()
    await pause(3 * bounds.statementMs)
    await tx.insertInto('tenants').values(tenantRow('idle too')).execute()
  })
  await t.rejects(idling, unavailable, 'one that stands still inside is ended by the server')
  t.same(await persistently(() => ids(store)), [])
})

t.test('an orderly shutdown and a start are waited out', async (t) => {
  const { store } = await openPostgresTestStore(t, server, { connections: bounds.connections })
  await server.stop('SIGINT')
  await refused(t, store.check(), 'after the shutdown')
  const starting = server.start()
  const tookMs = recovered(store)
  await starting
  await tookMs
  await persistently((attempt) => write(store, `a-${attempt}`))
})

t.test(
  'F13 a connection that breaks in the moment in which it is ready is one that failed, and ends no process',
  async (t) => {
    // What a server says when its postmaster is killed, in one piece with the last word of the greeting.
    const fields = ['SFATAL', 'C57P01', 'Mterminating connection due to unexpected postmaster exit', ''].join('\0')
    const refusal = Buffer.concat([Buffer.from('E'), lengthOf(`${fields}\0`.length), Buffer.from(`${fields}\0`)])
    const greeting = Buffer.from([...Buffer.from('R'), 0, 0, 0, 8, 0, 0, 0, 0, ...Buffer.from('Z'), 0, 0, 0, 5, 0x49])
    const server = createServer((socket) => {
      socket.on('error', () => {})
      socket.once('data', () => socket.end(Buffer.concat([greeting, refusal])))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    t.teardown(() => server.close())
    const { port } = server.address() as AddressInfo
    const url = `postgresql://somebody@127.0.0.1:${port}/any?sslmode=disable`
    const options = { url, connections: 1, connectMs: 2_000, statementMs: 2_000, waitMs: 2_000 }
    for (let turn = 0; turn < 20; turn += 1) {
      await t.rejects(probePostgres(options), { code: 'store_unavailable' })
    }
  },
)

function lengthOf(bytes: number): Buffer {
  const length = Buffer.alloc(4)
  length.writeInt32BE(bytes + 4)
  return length
}
