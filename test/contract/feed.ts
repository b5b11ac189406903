// What every Feed promises. Each implementation runs this with its own way of opening instances on the same data.

import type { Test } from 'tap'
import type { Feed } from '../../src/storage/changes/feed.js'
import type { Store } from '../../src/storage/sql/store.js'
import { commitKeys, createRecorder, eventually } from '../support/storage/feed-recorder.js'
import { tenantRow } from '../support/storage/temporary-store.js'
import { feedFailuresContract } from './feed-failures.js'

/** One instance: a Feed that has not started, on its own Store over the same data. */
export interface FeedInstance {
  feed: Feed
  store: Store
  /** What onError heard. */
  errors: readonly unknown[]
}

/** Makes instances on the same new data, as several processes would be; stopped and closed when `t` ends. */
export type OpenFeeds = (t: Test) => Promise<() => Promise<FeedInstance>>

/** Adds the tests of the contract to `t`. */
export async function feedContract(t: Test, open: OpenFeeds): Promise<void> {
  await committing(t, open)
  await following(t, open)
  await order(t, open)
  await feedFailuresContract(t, open)
}

async function committing(t: Test, open: OpenFeeds): Promise<void> {
  await t.test(
    'a commit resolves after its row is durable and every follower here has applied its changes',
    async (t) => {
      const { feed, store } = await (await open(t))()
      const recorder = createRecorder()
      recorder.onApply = () => new Promise((resolve) => setTimeout(resolve, 20))
      feed.follow(recorder)
      await feed.start()
      const { result, seq } = await feed.commit(async (tx, record) => {
        await tx.insertInto('tenants').values(tenantRow('a')).execute()
        const numbers = [record({ kind: 'keys' }), record({ kind: 'tenant', tenantId: 'a', state: 'enabled' })]
        return numbers
      })
      t.same(result, [1, 2], 'record tells the number that the entry will have')
      t.equal(seq, 2)
      t.equal(feed.seq, 2)
      t.same(recorder.heard, ['load 0', 1, 2])
      t.same(recorder.changes[1]?.entry, { kind: 'tenant', tenantId: 'a', state: 'enabled' })
      t.equal((await store.reader.selectFrom('tenants').selectAll().execute()).length, 1)
    },
  )

  await t.test('work that throws leaves neither row nor change nor number', async (t) => {
    const { feed, store } = await (await open(t))()
    const recorder = createRecorder()
    feed.follow(recorder)
    await feed.start()
    const failing = feed.commit(async (tx, record) => {
      await tx.insertInto('tenants').values(tenantRow('a')).execute()
      record({ kind: 'keys' })
      throw new RangeError('on purpose')
    })
    await t.rejects(failing, { name: 'RangeError' })
    t.equal(await commitKeys(feed), 1)
    t.same(recorder.heard, ['load 0', 1])
    t.same(await store.reader.selectFrom('tenants').selectAll().execute(), [])
  })

  await t.test('a commit that records nothing tells nobody anything', async (t) => {
    const { feed } = await (await open(t))()
    const recorder = createRecorder()
    feed.follow(recorder)
    await feed.start()
    await commitKeys(feed)
    t.same(await feed.commit(async () => 'x'), { result: 'x', seq: 1 })
    t.same(recorder.heard, ['load 0', 1])
  })

  await t.test('a commit before the start is loaded by the start', async (t) => {
    const { feed } = await (await open(t))()
    const recorder = createRecorder()
    feed.follow(recorder)
    t.equal(await commitKeys(feed), 1)
    t.same(recorder.heard, [])
    await feed.start()
    t.same(recorder.heard, ['load 1'])
    t.equal(feed.seq, 1)
  })
}

async function following(t: Test, open: OpenFeeds): Promise<void> {
  await t.test('followers hear in the order in which they were added, and none may come after the start', async (t) => {
    const { feed } = await (await open(t))()
    const deliveries: string[] = []
    for (const name of ['first', 'second']) {
      feed.follow({
        name,
        load: async () => void deliveries.push(`${name} load`),
        apply: (change) => void deliveries.push(`${name} ${change.seq}`),
      })
    }
    await feed.start()
    await commitKeys(feed)
    t.same(deliveries, ['first load', 'second load', 'first 1', 'second 1'])
    t.throws(() => feed.follow(createRecorder('late')), /late/)
  })

  await t.test("another instance's changes are followed by themselves, and at once by catchUp", async (t) => {
    const instance = await open(t)
    const [here, there] = [await instance(), await instance()]
    const recorder = createRecorder()
    here.feed.follow(recorder)
    await Promise.all([here.feed.start(), there.feed.start()])
    await commitKeys(there.feed)
    await here.feed.catchUp()
    t.same(recorder.heard, ['load 0', 1], 'after catchUp nothing committed before it is missing')
    await commitKeys(there.feed)
    await eventually(() => here.feed.seq === 2)
    t.same(recorder.heard, ['load 0', 1, 2])
    t.same(here.errors, [])
  })

  await t.test(
    'the age is infinite before the start, then as old as the last time when nothing was missing',
    async (t) => {
      const { feed } = await (await open(t))()
      t.equal(feed.ageMs(), Number.POSITIVE_INFINITY)
      await feed.start()
      // At once, but for time that was lost meanwhile.
      await eventually(() => feed.ageMs() < 5_000)
      let before = feed.ageMs()
      await eventually(() => {
        const [earlier, now] = [before, feed.ageMs()]
        before = now
        return now < earlier
      })
    },
  )

  await t.test('after stop nothing is followed or committed', async (t) => {
    const instance = await open(t)
    const [here, there] = [await instance(), await instance()]
    const recorder = createRecorder()
    here.feed.follow(recorder)
    await Promise.all([here.feed.start(), there.feed.start()])
    await here.feed.stop()
    await commitKeys(there.feed)
    await t.rejects(commitKeys(here.feed), { code: 'store_unavailable' })
    t.same(recorder.heard, ['load 0'])
  })
}

async function order(t: Test, open: OpenFeeds): Promise<void> {
  await t.test('numbers are the order of the commits, also when who began first commits last', async (t) => {
    const instance = await open(t)
    const [slow, quick] = [await instance(), await instance()]
    const recorder = createRecorder()
    quick.feed.follow(recorder)
    await Promise.all([slow.feed.start(), quick.feed.start()])
    const finished: string[] = []
    const commit = async (feed: Feed, name: string, waitMs: number): Promise<number> => {
      const { seq } = await feed.commit(async (_tx, record) => {
        await new Promise((resolve) => setTimeout(resolve, waitMs))
        record({ kind: 'tenant', tenantId: name, state: 'enabled' })
      })
      finished.push(name)
      return seq
    }
    for (let round = 0; round < 5; round += 1) {
      await Promise.all([commit(slow.feed, 'slow', 20), commit(quick.feed, 'quick', 0), commit(slow.feed, 'slow', 10)])
    }
    await quick.feed.catchUp()
    const numbers = recorder.changes.map((change) => change.seq)
    t.same(
      numbers,
      Array.from({ length: 15 }, (_, i) => i + 1),
      'no number was seen before a lower one, none twice, none was left out',
    )
    t.equal(finished.length, 15)
  })

  await t.test('parallel commits of two instances reach every follower once and in order', async (t) => {
    const instance = await open(t)
    const instances = [await instance(), await instance()]
    const recorders = instances.map(({ feed }) => {
      const recorder = createRecorder()
      // Slow now and then, so that the next change is there before this one is done.
      recorder.onApply = ({ seq }) => (seq % 7 === 0 ? new Promise((resolve) => setTimeout(resolve, 2)) : undefined)
      feed.follow(recorder)
      return recorder
    })
    await Promise.all(instances.map(({ feed }) => feed.start()))
    const seqs = await Promise.all(
      Array.from({ length: 100 }, async (_, i) => {
        const { feed } = instances[i % 2] as FeedInstance
        const seq = await commitKeys(feed)
        t.ok(feed.seq >= seq, 'applied here when it resolved')
        return seq
      }),
    )
    const all = Array.from({ length: 100 }, (_, i) => i + 1)
    t.same(
      seqs.toSorted((a, b) => a - b),
      all,
    )
    await Promise.all(instances.map(({ feed }) => feed.catchUp()))
    for (const recorder of recorders) t.same(recorder.heard.slice(-100), all)
  })
}
