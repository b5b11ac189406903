// What a Feed does when followers fail, the log has a hole, or the Store is away: nobody goes on with half of the
// changes.

import { sql } from 'kysely'
import type { Test } from 'tap'
import type { Feed } from '../../src/storage/changes/feed.js'
import { commitKeys, createRecorder, eventually } from '../support/storage/feed-recorder.js'
import type { OpenFeeds } from './feed.js'

/** The part of the Feed's contract about failures. */
export async function feedFailuresContract(t: Test, open: OpenFeeds): Promise<void> {
  await holes(t, open)
  await followers(t, open)
}

async function holes(t: Test, open: OpenFeeds): Promise<void> {
  await t.test('a follower that was away longer than the log reaches back loads everything anew', async (t) => {
    const instance = await open(t)
    const [here, there] = [await instance(), await instance()]
    const recorder = createRecorder()
    here.feed.follow(recorder)
    await here.feed.start()
    await here.store.transaction(async (tx) => {
      // Three changes at once of which the first two are pruned already.
      await sql`update feed_head set seq = 3`.execute(tx)
      await sql`insert into changes (seq, at, body) values (3, 0, '{"kind":"keys"}')`.execute(tx)
    })
    await here.feed.catchUp()
    t.same(recorder.heard, ['load 0', 'load 3'])
    await there.feed.start()
    await commitKeys(there.feed)
    await here.feed.catchUp()
    t.same(recorder.heard, ['load 0', 'load 3', 4])
  })

  await t.test('a hole in the middle, and an empty log under a higher head, are holes too', async (t) => {
    const { feed, store } = await (await open(t))()
    const recorder = createRecorder()
    feed.follow(recorder)
    await feed.start()
    await store.transaction(async (tx) => {
      await sql`update feed_head set seq = 3`.execute(tx)
      await sql`insert into changes (seq, at, body) values (1, 0, '{"kind":"keys"}'), (3, 0, '{}')`.execute(tx)
    })
    await feed.catchUp()
    t.same(recorder.heard, ['load 0', 1, 'load 3'])
    await store.transaction((tx) => sql`update feed_head set seq = 9`.execute(tx))
    await feed.catchUp()
    t.same(recorder.heard.at(-1), 'load 9')
    t.equal(feed.seq, 9)
  })

  await t.test(
    'V9 after numbers went back (an older copy was restored) all is loaded anew, and none comes twice',
    async (t) => {
      const instance = await open(t)
      const [{ feed, store }, other] = [await instance(), await instance()]
      const [recorder, theirs] = [createRecorder(), createRecorder()]
      feed.follow(recorder)
      other.feed.follow(theirs)
      await feed.start()
      await other.feed.start()
      for (let i = 0; i < 3; i += 1) await commitKeys(feed)
      await other.feed.catchUp()
      await store.transaction(async (tx) => {
        await sql`update feed_head set seq = 1`.execute(tx)
        await sql`delete from changes where seq > 1`.execute(tx)
      })
      await feed.catchUp()
      const { seq } = feed
      t.ok(seq > 3, 'beyond what tokens carry that were signed before')
      t.equal(recorder.heard.at(-1), `load ${seq}`)
      t.equal(await commitKeys(feed), seq + 1)
      t.equal(recorder.heard.at(-1), seq + 1)
      await other.feed.catchUp()
      t.same(theirs.heard.slice(0, 4), ['load 0', 1, 2, 3])
      t.match(theirs.heard[4], /^load /, 'who was as far as the lost numbers loads anew, too')
      const heardBefore = recorder.heard.length
      await store.transaction((tx) => sql`update feed_head set seq = 1`.execute(tx))
      t.ok((await commitKeys(feed)) > seq + 1, 'not even before it was noticed')
      // A poll may notice it before the commit does.
      t.match(recorder.heard[heardBefore], /^load /)
    },
  )

  await t.test('a body that nobody can read is a reason to load anew', async (t) => {
    const { feed, store, errors } = await (await open(t))()
    const recorder = createRecorder()
    feed.follow(recorder)
    await feed.start()
    await store.transaction(async (tx) => {
      await sql`update feed_head set seq = 1`.execute(tx)
      await sql`insert into changes (seq, at, body) values (1, 0, 'no json')`.execute(tx)
    })
    await feed.catchUp()
    t.same(recorder.heard, ['load 0', 'load 1'])
    t.equal(errors.length, 1)
  })
}

async function followers(t: Test, open: OpenFeeds): Promise<void> {
  await t.test('when a follower fails, all load anew before the commit is answered', async (t) => {
    const { feed, errors } = await (await open(t))()
    const [well, failing] = [createRecorder('well'), createRecorder('failing')]
    failing.onApply = ({ seq }) => {
      if (seq === 2) throw new Error('on purpose')
    }
    feed.follow(well)
    feed.follow(failing)
    await feed.start()
    for (let i = 0; i < 3; i += 1) await commitKeys(feed)
    t.same(well.heard, ['load 0', 1, 2, 'load 2', 3])
    t.same(failing.heard, ['load 0', 1, 'load 2', 3])
    t.match(errors, [{ message: 'on purpose' }])
  })

  await t.test(
    'while a follower cannot even load, commits are StoreUnavailable and the age grows; then it heals',
    async (t) => {
      const { feed, store } = await (await open(t))()
      const recorder = createRecorder()
      feed.follow(recorder)
      await feed.start()
      const broken = (): never => {
        throw new Error('on purpose')
      }
      recorder.onApply = broken
      recorder.onLoad = broken
      await t.rejects(commitKeys(feed), { code: 'store_unavailable' })
      await t.rejects(feed.catchUp(), { code: 'store_unavailable' })
      t.equal(feed.seq, 0, 'it does not claim what it has not applied')
      const age = feed.ageMs()
      await eventually(() => hasGrown(feed, age))
      const { seq } = await store.reader.selectFrom('feed_head').select('seq').executeTakeFirstOrThrow()
      t.equal(seq, 1, 'the change itself is durable')
      recorder.onApply = () => {}
      recorder.onLoad = () => {}
      await eventually(() => feed.seq === 1)
      t.same(recorder.heard, ['load 0', 'load 1'])
      t.equal(await commitKeys(feed), 2)
    },
  )

  await t.test('a start that fails can be tried again', async (t) => {
    const { feed } = await (await open(t))()
    const recorder = createRecorder()
    recorder.onLoad = () => {
      throw new Error('on purpose')
    }
    feed.follow(recorder)
    await t.rejects(feed.start(), { code: 'store_unavailable' })
    t.equal(feed.ageMs(), Number.POSITIVE_INFINITY)
    recorder.onLoad = () => {}
    await feed.start()
    await commitKeys(feed)
    t.same(recorder.heard, ['load 0', 1])
  })

  await t.test('while the Store is away, nothing is answered and the age grows', async (t) => {
    const { feed, store, errors } = await (await open(t))()
    feed.follow(createRecorder())
    await feed.start()
    await store.close()
    await t.rejects(commitKeys(feed), { code: 'store_unavailable' })
    await t.rejects(feed.catchUp(), { code: 'store_unavailable' })
    const age = feed.ageMs()
    await eventually(() => hasGrown(feed, age) && errors.length > 0)
  })
}

/** Older than it was by more than nothing. After lost time the age is infinite, and cannot grow. */
function hasGrown(feed: Feed, age: number): boolean {
  return feed.ageMs() === Number.POSITIVE_INFINITY || feed.ageMs() > age + 20
}
