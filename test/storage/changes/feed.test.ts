// run: apart

import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { createEmbeddedFeed } from '../../../src/storage/changes/embedded-feed.js'
import { createPruning } from '../../../src/storage/changes/pruning.js'
import type { FeedInstance } from '../../contract/feed.js'
import { feedContract } from '../../contract/feed.js'
import { openExternalLock } from '../../support/storage/external-lock.js'
import { commitKeys, createRecorder, eventually } from '../../support/storage/feed-recorder.js'
import { openTemporaryStore } from '../../support/storage/temporary-store.js'

async function openFeeds(t: Test): Promise<() => Promise<FeedInstance>> {
  const { another } = await openTemporaryStore(t)
  return async () => {
    const store = await another()
    const errors: unknown[] = []
    const feed = createEmbeddedFeed({
      store,
      pollMs: 10,
      now: Date.now,
      monotonic: () => performance.now(),
      onError: (error) => errors.push(error),
    })
    t.teardown(() => feed.stop())
    return { feed, store, errors }
  }
}

await t.test('the embedded Feed keeps the contract', (t) => feedContract(t, openFeeds))

t.test('the age is measured by the monotonic clock alone', async (t) => {
  const { store, file } = await openTemporaryStore(t, 20)
  let monotonic = 1_000
  let wall = Date.now()
  const feed = createEmbeddedFeed({ store, pollMs: 5, now: () => wall, monotonic: () => monotonic, onError: () => {} })
  t.teardown(() => feed.stop())
  await feed.start()
  wall += 3_600_000
  t.equal(feed.ageMs(), 0)
  const lock = await openExternalLock(t, file)
  lock.take()
  monotonic += 4_000
  await eventually(() => feed.ageMs() === 0)
  t.pass('a write lock does not keep a reader from knowing that nothing is missing')
  lock.release()
  await feed.stop()
  monotonic += 4_000
  t.equal(feed.ageMs(), 4_000)
})

t.test('the log is pruned of what is older than 26 hours, batch by batch, and followers stay whole', async (t) => {
  const { store, another } = await openTemporaryStore(t)
  const hour = 3_600_000
  const now = 1_800_000_000_000
  await store.transaction(async (tx) => {
    const rows = sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 1200) select i, `
    await sql`insert into changes (seq, at, body) ${rows}${now - 27 * hour}, '{"kind":"keys"}' from n`.execute(tx)
    await sql`insert into changes (seq, at, body) values (1201, ${now - 25 * hour}, '{"kind":"keys"}')`.execute(tx)
    // Written by a machine whose clock is late: it stands after a younger one and stays with it.
    await sql`insert into changes (seq, at, body) values (1202, ${now - 30 * hour}, '{"kind":"keys"}')`.execute(tx)
    await sql`update feed_head set seq = 1202`.execute(tx)
  })
  const left = async (): Promise<number[]> => {
    const rows = await store.reader.selectFrom('changes').select('seq').orderBy('seq').execute()
    return rows.map((row) => row.seq)
  }
  let monotonic = 0
  const prune = createPruning({ store, now: () => now, monotonic: () => monotonic })
  await prune()
  t.equal((await left()).length, 702, 'one batch')
  await prune()
  await prune()
  t.same(await left(), [1201, 1202])
  await store.transaction((tx) => sql`update changes set at = 0`.execute(tx))
  await prune()
  t.equal((await left()).length, 2, 'not again before its time')
  monotonic += 10 * 60_000
  await prune()
  t.same(await left(), [])
  const feed = createEmbeddedFeed({ store: await another(), pollMs: 5, now: () => now, monotonic: () => 0 })
  t.teardown(() => feed.stop())
  const recorder = createRecorder()
  feed.follow(recorder)
  await feed.start()
  t.equal(await commitKeys(feed), 1203, 'the numbers go on')
  t.same(recorder.heard, ['load 1202', 1203])
})

t.test('a long absence is caught up in batches', async (t) => {
  const { store, another } = await openTemporaryStore(t)
  const feed = createEmbeddedFeed({ store, pollMs: 60_000, now: Date.now, monotonic: () => performance.now() })
  t.teardown(() => feed.stop())
  const recorder = createRecorder()
  feed.follow(recorder)
  await feed.start()
  await (await another()).transaction(async (tx) => {
    const rows = sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 1234) select i, `
    await sql`insert into changes (seq, at, body) ${rows}0, '{"kind":"keys"}' from n`.execute(tx)
    await sql`update feed_head set seq = 1234`.execute(tx)
  })
  t.equal(await commitKeys(feed), 1235, "a commit brings the others' changes with it")
  t.same(recorder.heard, ['load 0', ...Array.from({ length: 1235 }, (_, i) => i + 1)])
})
