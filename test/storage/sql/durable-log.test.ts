import { open } from 'node:fs/promises'
import t from 'tap'
import { createDurableLog } from '../../../src/storage/sql/sqlite/durable-log.js'
import { createLogCopier } from '../../../src/storage/sql/sqlite/log-copier.js'
import { openSqliteStore } from '../../../src/storage/sql/sqlite/sqlite.js'
import { openSqliteDatabase } from '../../../src/storage/sql/sqlite/sqlite-library.js'
import { openTemporaryStore, tenantRow } from '../../support/storage/temporary-store.js'

const unavailable = { code: 'store_unavailable' }

/** A disk whose syncs end when the test says so. */
function openDisk() {
  const syncs: { done: () => void; fail: () => void }[] = []
  const openLog = async () => ({
    datasync: () =>
      new Promise<void>((resolve, reject) => {
        syncs.push({ done: resolve, fail: () => reject(Object.assign(new Error('EIO'), { code: 'EIO' })) })
      }),
    close: async () => undefined,
  })
  return { syncs, openLog }
}

/** Until what waits for nothing but promises has happened. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

t.test('a commit is answered after a sync that began after it, and those who wait share one', async (t) => {
  const { syncs, openLog } = openDisk()
  const log = createDurableLog({ file: 'unused', openLog })
  const answered: string[] = []
  const commit = (name: string) => log.synced().then(() => answered.push(name))
  const all = [commit('first')]
  await settle()
  all.push(commit('second'), commit('third'))
  await settle()
  t.same([syncs.length, answered], [1, []], 'the sync that runs may not know of them')
  syncs[0]?.done()
  await settle()
  t.same([syncs.length, answered], [2, ['first']])
  syncs[1]?.done()
  await Promise.all(all)
  t.same([syncs.length, answered], [2, ['first', 'second', 'third']])
})

t.test('after a sync that failed no other one counts until the log is repaired', async (t) => {
  const { syncs, openLog } = openDisk()
  const log = createDurableLog({ file: 'unused', openLog })
  const [first] = [
    log.synced().then(
      () => 'ok',
      (error: { code: string }) => error.code,
    ),
  ]
  await settle()
  const second = log.synced().then(
    () => 'ok',
    (error: { code: string }) => error.code,
  )
  syncs[0]?.fail()
  await settle()
  syncs[1]?.done()
  t.same([await first, await second, log.isDamaged()], ['store_unavailable', 'store_unavailable', true])
  log.repaired()
  const third = log.synced()
  await settle()
  syncs[2]?.done()
  await third
  t.notOk(log.isDamaged())
})

t.test('a disk that never answers has failed', async (t) => {
  const { openLog } = openDisk()
  const log = createDurableLog({ file: 'unused', openLog, longestMs: 5 })
  await t.rejects(log.synced(), unavailable)
  t.ok(log.isDamaged())
})

t.test(
  'the Store answers a transaction when its log is synced, and a failed sync refuses until it is repaired',
  async (t) => {
    const { file, store } = await openTemporaryStore(t)
    await store.close()
    let failing = true
    let synced = 0
    const again = await openSqliteStore({
      file,
      busyTimeoutMs: 1_000,
      openLog: async (path) => {
        const handle = await open(path, 'r+')
        return {
          close: () => handle.close(),
          async datasync() {
            if (failing) throw new Error('EIO')
            await handle.datasync()
            synced += 1
          },
        }
      },
    })
    t.teardown(() => again.close())
    const add = (name: string) => again.transaction((tx) => tx.insertInto('tenants').values(tenantRow(name)).execute())
    await t.rejects(add('one'), unavailable)
    await t.rejects(add('two'), unavailable, 'repaired, and failed again')
    failing = false
    await add('three')
    t.equal(synced, 1)
    const rows = await again.reader.selectFrom('tenants').select('id').execute()
    t.equal(rows.length, 3, 'what was not confirmed may be there nevertheless')
  },
)

t.test('the log is copied into the file by a thread, without the writer', async (t) => {
  const { file, store } = await openTemporaryStore(t)
  let here = 0
  const waiting = setInterval(() => {}, 1_000)
  t.teardown(() => clearInterval(waiting))
  const copied = new Promise<void>((resolve) => {
    const copyHere = () => {
      here += 1
    }
    const copier = createLogCopier({ file, copyHere, onCopied: resolve })
    t.teardown(() => copier.close())
    for (let i = 0; i < 250; i += 1) copier.committed()
  })
  await store.transaction((tx) => tx.insertInto('tenants').values(tenantRow('copied')).execute())
  await copied
  t.equal(here, 0)
  const other = await openSqliteDatabase(file)
  t.teardown(() => other.close())
  const [{ log = 0, checkpointed = 0 } = {}] = other.prepare('pragma wal_checkpoint(passive)').all() as {
    log: number
    checkpointed: number
  }[]
  t.equal(checkpointed, log)
})

t.test('where the thread cannot copy, the caller does', async (t) => {
  const missing = `${t.testdir()}/missing/folder.db`
  // The thread alone keeps nobody's process: here something has to wait for it.
  const waiting = setInterval(() => {}, 1_000)
  t.teardown(() => clearInterval(waiting))
  await new Promise<void>((resolve) => {
    const copier = createLogCopier({ file: missing, copyHere: resolve })
    t.teardown(() => copier.close())
    for (let i = 0; i < 250; i += 1) copier.committed()
  })
})
