import { chmodSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import t from 'tap'
import { withResultCodes } from '../../../src/storage/sql/sqlite/result-codes.js'
import { openSqliteStore } from '../../../src/storage/sql/sqlite/sqlite.js'
import { createConnection, tune } from '../../../src/storage/sql/sqlite/sqlite-connection.js'
import type { SqliteDatabase } from '../../../src/storage/sql/sqlite/sqlite-engine.js'
import { openSqliteDatabase } from '../../../src/storage/sql/sqlite/sqlite-library.js'
import { storeContract } from '../../contract/store.js'
import { openExternalLock } from '../../support/storage/external-lock.js'
import { openTemporaryStore, tenantRow } from '../../support/storage/temporary-store.js'
import { watchStalls } from '../../support/traffic/stalls.js'

const unavailable = { code: 'store_unavailable' }

function failureOf(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error
  }
}

await t.test('the SQLite Store keeps the contract', (t) => storeContract(t, openTemporaryStore))

t.test('synchronous is FULL on every connection but the one whose log is synced by us', async (t) => {
  const { store } = await openTemporaryStore(t)
  const pragmas = async (on: typeof store.reader) => {
    const synchronous = await sql<{ synchronous: number }>`pragma synchronous`.execute(on)
    const mode = await sql<{ journal_mode: string }>`pragma journal_mode`.execute(on)
    return [synchronous.rows[0]?.synchronous, mode.rows[0]?.journal_mode]
  }
  t.same(await pragmas(store.reader), [2, 'wal'])
  t.same(await store.transaction(pragmas), [1, 'wal'])
  t.same(await store.snapshot(pragmas), [2, 'wal'])
})

t.test('a connection that does not keep what it needs, or has no write-ahead log, is refused', async (t) => {
  const answering = (rows: Record<string, unknown[]>): SqliteDatabase => ({
    exec() {},
    close() {},
    prepare: (text) => ({
      all: () => rows[text] ?? [],
      get: () => undefined,
      run: () => ({ changes: 0, lastInsertRowid: 0 }),
    }),
  })
  const wal = { 'pragma journal_mode = wal': [{ journal_mode: 'wal' }] }
  t.throws(() => tune(answering({ 'pragma journal_mode = wal': [{ journal_mode: 'delete' }] }), 'write'), /log/)
  t.throws(() => tune(answering({ ...wal, 'pragma synchronous': [{ synchronous: 0 }] }), 'write'), /synchronous = 1/)
  t.throws(() => tune(answering({ ...wal, 'pragma synchronous': [{ synchronous: 1 }] }), 'read'), /synchronous = 2/)
  t.throws(() => tune(answering(wal), 'read'), /synchronous = 2/)
  tune(answering({ ...wal, 'pragma synchronous': [{ synchronous: 1 }] }), 'write')
})

t.test('the file and its side files are readable by their owner alone, also when they were not', async (t) => {
  const modes = (file: string) => ['', '-wal', '-shm'].map((end) => (statSync(file + end).mode & 0o777).toString(8))
  const { file, store } = await openTemporaryStore(t)
  t.same(modes(file), ['600', '600', '600'])
  await store.close()
  chmodSync(file, 0o644)
  const again = await openSqliteStore({ file, busyTimeoutMs: 1_000 })
  t.teardown(() => again.close())
  t.same(modes(file), ['600', '600', '600'])
})

t.test('a file that is no database, or has no folder, is refused and not touched', async (t) => {
  const folder = t.testdir({ 'letter.txt': 'Dear Sir, '.repeat(1000) })
  await t.rejects(openSqliteStore({ file: join(folder, 'letter.txt'), busyTimeoutMs: 100 }), unavailable)
  t.equal(statSync(join(folder, 'letter.txt')).size, 10_000)
  await t.rejects(openSqliteStore({ file: join(folder, 'none', 'p.db'), busyTimeoutMs: 100 }), { code: 'ENOENT' })
})

t.test("another process's lock is waited out, and the event loop goes on meanwhile", async (t) => {
  const { file, store } = await openTemporaryStore(t)
  const lock = await openExternalLock(t, file)
  lock.take()
  let ticks = 0
  const ticking = setInterval(() => {
    ticks += 1
  }, 5)
  t.teardown(() => clearInterval(ticking))
  let runs = 0
  const written = store.transaction(async (tx) => {
    runs += 1
    await tx.insertInto('tenants').values(tenantRow('a')).execute()
  })
  t.same(await store.reader.selectFrom('tenants').selectAll().execute(), [], 'readers do not wait')
  while (ticks < 10) await pause(5)
  t.equal(runs, 0)
  lock.release()
  await written
  t.equal(runs, 1)
  t.same(lock.all('select id from tenants').length, 1)
})

t.test('a lock that stays is StoreUnavailable; afterwards writing works and is seen by others', async (t) => {
  const { file, store } = await openTemporaryStore(t, 60)
  const lock = await openExternalLock(t, file)
  for (const id of ['a', 'b', 'c']) {
    lock.take()
    const insert = () => store.transaction((tx) => tx.insertInto('tenants').values(tenantRow(id)).execute())
    const startedAt = performance.now()
    const stalledMs = watchStalls()
    const outcomes = await Promise.allSettled([insert(), insert(), insert()])
    t.match(
      outcomes,
      [0, 1, 2].map(() => ({ status: 'rejected', reason: unavailable })),
    )
    t.ok(performance.now() - startedAt - stalledMs() < 2_000, 'those who queue do not wait one after the other')
    lock.release()
    await insert()
    t.equal(lock.all(`select 1 from tenants where id = '${id}'`).length, 1, 'an acknowledged write is in the file')
  }
})

t.test('who waits for a transaction of this process waits no longer than the time-out', async (t) => {
  const { store } = await openTemporaryStore(t, 50)
  let finish = (): void => {}
  const long = store.transaction(
    () =>
      new Promise<void>((resolve) => {
        finish = resolve
      }),
  )
  await t.rejects(
    store.transaction(async () => 1),
    unavailable,
  )
  finish()
  await long
  t.equal(await store.transaction(async () => 2), 2)
})

t.test('a full database is StoreUnavailable from every kind of statement', async (t) => {
  const { store } = await openTemporaryStore(t)
  const long = tenantRow('long', 'x'.repeat(200_000))
  const limited = (work: (tx: typeof store.reader) => Promise<unknown>) =>
    store.transaction(async (tx) => {
      await sql`pragma max_page_count = 40`.execute(tx)
      await work(tx)
    })
  await t.rejects(
    limited((tx) => tx.insertInto('tenants').values(long).execute()),
    unavailable,
  )
  await t.rejects(
    limited((tx) => tx.insertInto('tenants').values(long).returning('id').execute()),
    unavailable,
  )
  t.same(await store.reader.selectFrom('tenants').selectAll().execute(), [])
  await store.transaction((tx) => sql`pragma max_page_count = 1000000`.execute(tx))
  await store.transaction((tx) => tx.insertInto('tenants').values(long).execute())
})

t.test('the package gives result codes from every method', async (t) => {
  const { DatabaseSync } = await import('@photostructure/sqlite')
  const file = join(t.testdir(), 'p.db')
  const [database, other] = [withResultCodes(new DatabaseSync(file)), new DatabaseSync(file)]
  t.teardown(() => database.close())
  t.teardown(() => other.close())
  database.exec('pragma busy_timeout = 0')
  database.exec('pragma journal_mode = wal')
  database.exec('create table t (a text primary key) strict')
  const insert = database.prepare('insert into t values (?) returning a')
  t.same(insert.all('a'), [{ a: 'a' }])
  for (const method of ['all', 'get', 'run'] as const) {
    t.match(
      failureOf(() => insert[method]('a')),
      { errcode: 1555 },
      method,
    )
    other.exec('begin immediate')
    t.match(
      failureOf(() => insert[method]('b')),
      { errcode: 5 },
      method,
    )
    other.exec('rollback')
  }
  t.same(database.prepare('select a from t').all(), [{ a: 'a' }])
  database.exec('begin')
  const rollingBack = database.prepare("insert or rollback into t values ('a') returning a")
  t.match(
    failureOf(() => rollingBack.all()),
    { errcode: 10 },
    'outside the transaction it is not run again',
  )
  t.same(database.prepare('select a from t').all(), [{ a: 'a' }])
  t.throws(() => insert.all('c', 'too many'))
})

t.test('a lock that is gone when the lost code is looked for counts as a lock', async (t) => {
  const failing = Object.assign(new Error('database is locked'), { code: 'ERR_SQLITE_ERROR' })
  const database = withResultCodes({
    isTransaction: false,
    exec() {},
    close() {},
    prepare: () => ({
      all() {
        throw failing
      },
      get: () => undefined,
      run: () => ({ changes: 0, lastInsertRowid: 0 }),
    }),
  })
  t.match(
    failureOf(() => database.prepare('select 1').all()),
    { errcode: 5, message: 'database is locked' },
  )
})

t.test('when the engine rolls back by itself, what work does afterwards is not committed alone', async (t) => {
  const { store } = await openTemporaryStore(t)
  const insert = (tx: typeof store.reader, id: string) => tx.insertInto('tenants').values(tenantRow(id)).execute()
  await store.transaction((tx) => insert(tx, 'a'))
  const goingOn = store.transaction(async (tx) => {
    await insert(tx, 'b')
    // As on a full disk: the statement fails and takes its transaction with it.
    await sql`insert or rollback into tenants values ('a', 'a', 'enabled', 1, 1)`.execute(tx).catch(() => {})
    await insert(tx, 'c')
  })
  await t.rejects(goingOn)
  const rows = await store.reader.selectFrom('tenants').select('id').execute()
  t.same(rows, [{ id: 'a' }])
  await store.transaction((tx) => insert(tx, 'd'))
})

t.test('statements are prepared once, and a bounded number of them is kept', async (t) => {
  const database = await openSqliteDatabase(join(t.testdir(), 'p.db'))
  const prepared: string[] = []
  const connection = createConnection({
    exec: (text) => database.exec(text),
    close: () => database.close(),
    prepare(text) {
      prepared.push(text)
      return database.prepare(text)
    },
  })
  t.teardown(() => connection.close())
  for (let round = 0; round < 3; round += 1) t.same(connection.all('select ? as n', [round]), [{ n: round }])
  t.equal(prepared.length, 1)
  for (let i = 0; i < 300; i += 1) connection.all(`select ${i} as n`, [])
  connection.all('select 299 as n', [])
  t.equal(prepared.length, 301, 'a recent one is kept')
  connection.all('select ? as n', [1])
  t.equal(prepared.length, 302, 'the least recently used has left')
})

t.test('rows are streamed by nobody', async (t) => {
  const { store } = await openTemporaryStore(t)
  const streaming = async (): Promise<void> => {
    for await (const row of store.reader.selectFrom('tenants').selectAll().stream()) t.fail(String(row))
  }
  await t.rejects(streaming(), /pages/)
})

t.test('a damaged file is StoreUnavailable', async (t) => {
  const { file, store } = await openTemporaryStore(t, 100)
  await store.close()
  const size = statSync(file).size
  writeFileSync(file, Buffer.alloc(size, 7), { flag: 'r+' })
  await t.rejects(openSqliteStore({ file, busyTimeoutMs: 100 }), unavailable)
})
