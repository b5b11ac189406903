// What a power cut of one process may cost: nothing that was acknowledged, and nothing half. Real processes are killed.
// full: kills a writing process again and again
// run: apart

import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { migrations } from '../../../src/storage/sql/schema/migrations.js'
import { openSqliteStore } from '../../../src/storage/sql/sqlite/sqlite.js'
import { type ExternalLock, openExternalLock } from '../../support/storage/external-lock.js'
import { type StorageChild, startStorageChild } from '../../support/storage/storage-child.js'
import { openTemporaryStore } from '../../support/storage/temporary-store.js'

const KILLS = 10
/** Two dozen processes start here; a machine that is busy with other things takes its time. */
const patient = { timeout: 200_000 }
t.setTimeout(230_000)
const WRITES = 200

interface Acknowledged {
  id: string
  seq: number
}

function acknowledged(child: StorageChild): Acknowledged[] {
  return child.lines.flatMap((line) => {
    const [word, id, seq] = line.split(' ')
    return word === 'ack' && id !== undefined ? [{ id, seq: Number(seq) }] : []
  })
}

/** Takes the lock at random moments, for a few milliseconds each, until it must stop. */
async function injectBusy(lock: ExternalLock, signal: { stop: boolean }): Promise<number> {
  let times = 0
  while (!signal.stop) {
    try {
      lock.take()
      times += 1
      await pause(5 + Math.random() * 20)
      lock.release()
    } catch {
      // A writer has it: try again.
    }
    await pause(Math.random() * 80)
  }
  return times
}

/** Everything acknowledged is in the file, and every row there has all that was written with it. */
function checkWhole(t: Test, lock: ExternalLock, acks: readonly Acknowledged[], when: string): void {
  const rows = lock.all(
    `select t.id as id, t.name as name, r.seq as seq, c.body as body from tenants t
     left join revocations r on r.what = 'tenant' and r.id = t.id left join changes c on c.seq = r.seq`,
  ) as { id: string; name: string; seq: number | null; body: string | null }[]
  const seqs = new Map(rows.map((row) => [row.id, row.seq]))
  t.same(
    acks.filter((ack) => seqs.get(ack.id) !== ack.seq),
    [],
    `${when}: none of ${acks.length} acknowledged writes is missing`,
  )
  const half = rows.filter((row) => row.name !== row.id || row.body === null || !row.body.includes(`"${row.id}"`))
  t.same(half, [], `${when}: none of ${rows.length} writes is half there`)
  const [log] = lock.all(
    `select (select seq from feed_head) as head, count(*) as count, max(seq) as last,
     (select count(*) from tenants) as tenants, (select count(*) from revocations) as revocations from changes`,
  )
  const { length } = rows
  const whole = { head: length, count: length, last: length, tenants: length, revocations: length }
  t.same(log, whole, `${when}: the numbers have no hole`)
  t.same(lock.all('pragma integrity_check'), [{ integrity_check: 'ok' }], when)
}

t.test(
  'kill -9 ten times during 200 writes, with a second writer and a taken lock, loses and halves nothing',
  patient,
  async (t) => {
    const { file, store } = await openTemporaryStore(t)
    const lock = await openExternalLock(t, file)
    const reader = await openExternalLock(t, file)
    // Started beforehand, two ahead: what is killed should be writing, not loading modules.
    const victims: StorageChild[] = []
    const prepare = (i: number): void => {
      if (i >= KILLS) return
      const inMigration = i === 4
      const args = inMigration ? [file, String(2 + Math.floor(Math.random() * 5)), '1'] : [file, `victim${i}`]
      victims[i] = startStorageChild(t, inMigration ? 'migrator-child' : 'writer-child', args)
    }
    const second = startStorageChild(t, 'writer-child', [file, 'second'])
    for (let i = 0; i < 2; i += 1) prepare(i)
    await second.waitFor('ready')
    second.go()
    await second.waitFor('ack')
    const signal = { stop: false }
    const busy = injectBusy(lock, signal)

    for (let i = 0; i < KILLS; i += 1) {
      prepare(i + 2)
      const victim = victims[i]
      if (victim === undefined) throw new Error('no victim')
      await victim.waitFor('ready')
      victim.go()
      if (i === 4) {
        await victim.waitFor('inside')
      } else {
        await victim.waitFor('ack', 1 + Math.floor(Math.random() * WRITES))
        await pause(Math.random() * 5)
      }
      await victim.kill()
      t.equal(await victim.ended, 'SIGKILL')
      // What was acknowledged before the look: the second writer goes on meanwhile.
      const acks = [...victims, second].flatMap((child) => (child === undefined ? [] : acknowledged(child)))
      const names = new Set(acks.map((ack) => ack.id))
      const before = await openSqliteStore({ file, busyTimeoutMs: 30_000 })
      const rows = await before.reader.selectFrom('tenants').select('id').execute()
      for (const row of rows) names.delete(row.id)
      t.same([...names], [], `after kill ${i + 1} a new start finds every acknowledged write`)
      await before.close()
    }
    const progressed = acknowledged(second).length
    await second.waitFor('ack', progressed + 5)
    signal.stop = true
    t.ok((await busy) > 0, 'the lock was taken now and then')
    await second.kill()
    const acks = [...victims, second].flatMap(acknowledged)
    t.ok(acks.length >= WRITES, `${acks.length} writes were acknowledged`)
    checkWhole(t, reader, acks, 'at the end')
    t.same(
      reader.all('select version from schema_migrations'),
      migrations.map(({ version }) => ({ version })),
      'of the migration nothing is there',
    )
    t.same(reader.all("select name from sqlite_master where name like 'addition%'"), [])
    await store.check()
  },
)

t.test('kill -9 inside the first migration leaves nothing, and the next start does it all', patient, async (t) => {
  const file = `${t.testdir()}/portcullis.db`
  const children = [1, 2, 9, 27].map((statements) => {
    const child = startStorageChild(t, 'migrator-child', [file, String(statements), '0'])
    return child
  })
  for (const child of children) {
    await child.waitFor('ready')
    child.go()
    await child.waitFor('inside')
    await child.kill()
    const lock = await openExternalLock(t, file)
    t.same(lock.all('select name from sqlite_master'), [])
  }
  const store = await openSqliteStore({ file, busyTimeoutMs: 1_000 })
  t.teardown(() => store.close())
  await store.check()
})

t.test('processes that start at once on no file all open the same migrated one', patient, async (t) => {
  for (let round = 0; round < 2; round += 1) {
    const file = `${t.testdir()}/portcullis.db`
    const starters = Array.from({ length: 3 }, () => startStorageChild(t, 'starter-child', [file]))
    await Promise.all(starters.map((child) => child.waitFor('ready')))
    for (const child of starters) child.go()
    t.same(await Promise.all(starters.map((child) => child.ended)), [0, 0, 0])
    t.same(
      starters.map((child) => child.lines.at(-1)),
      starters.map(() => `opened ${migrations.length}`),
    )
    const lock = await openExternalLock(t, file)
    t.same(lock.all('select seq from feed_head'), [{ seq: 3 }], 'and each could write')
  }
})
