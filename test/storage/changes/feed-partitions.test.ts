// Who is cut off from what, and what each instance does then: the table of decisions/0047, row by row.
// full: cuts instances off from Redis
// run: apart

import t, { type Test } from 'tap'
import type { StreamMessage } from '../../../src/storage/changes/change-stream.js'
import type { SharedFeedOptions } from '../../../src/storage/changes/shared-feed.js'
import { createStallDetector } from '../../../src/storage/changes/stall-detector.js'
import { readHead } from '../../../src/storage/sql/cluster/changes.js'
import { noteInstance } from '../../../src/storage/sql/cluster/instances.js'
import { createCuttableStore, createSharedInstance } from '../../support/storage/feed-instances.js'
import { commitKeys, eventually } from '../../support/storage/feed-recorder.js'
import { createStreamHub } from '../../support/storage/stream-hub.js'
import { openTemporaryStore } from '../../support/storage/temporary-store.js'

type Given = Partial<SharedFeedOptions>

/** Started instances on one Store and one stream, each cut off from either by `cut`. Lost time is not noticed. */
async function several(t: Test, count: number, given: Given = {}) {
  const { store, another } = await openTemporaryStore(t)
  const hub = createStreamHub()
  const start = async () => {
    const cuttable = createCuttableStore(await another())
    const options = { staleAfterMs: 200, disconnectedMs: 10_000, lostMs: 3_600_000, confirmMs: 300, ...given }
    const instance = createSharedInstance(t, { store: cuttable.store, stream: hub.connect() }, options)
    instance.feed.follow(instance.recorder)
    await instance.feed.start()
    return { ...instance, cutStore: cuttable.cut }
  }
  const instances = []
  for (let i = 0; i < count; i += 1) instances.push(await start())
  return { store, hub, start, instances: instances as [Instance, Instance, Instance] }
}
type Instance = ReturnType<typeof createSharedInstance> & { stream: Hub; cutStore(isCut: boolean): void }
type Hub = ReturnType<ReturnType<typeof createStreamHub>['connect']>

const notConfirmed = { code: 'store_unavailable', message: /committed, but not confirmed/ }

t.test('the issuer alone cut off from the stream answers when all others have it', async (t) => {
  const { instances } = await several(t, 3, { confirmMs: 10_000 })
  const [issuer, ...others] = instances
  issuer.stream.cut(true)
  for (let i = 1; i <= 10; i += 1) {
    const seq = await commitKeys(issuer.feed)
    t.same(
      others.map(({ feed }) => feed.seq >= seq),
      [true, true],
      `change ${seq} is applied everywhere when it is answered`,
    )
  }
  t.ok(others.every(({ recorder }) => recorder.changes.length === 10))
})

t.test('a publication that is not acknowledged counts as none', async (t) => {
  const { instances } = await several(t, 2, { confirmMs: 10_000 })
  const [issuer, other] = instances
  issuer.stream.mute(true)
  other.cutStore(true)
  // It arrives, but the issuer cannot know; only the other's note in the Store can say so.
  let isAnswered = false
  const answer = commitKeys(issuer.feed).finally(() => {
    isAnswered = true
  })
  await eventually(() => other.feed.seq === 1)
  await new Promise((resolve) => setTimeout(resolve, 100))
  t.notOk(isAnswered)
  other.cutStore(false)
  t.equal(await answer, 1)
})

t.test('issuer without the stream, another without the Store: 503, and the other refuses by itself', async (t) => {
  const { store, instances } = await several(t, 3)
  const [issuer, isolated, bridge] = instances
  await isolated.feed.catchUp()
  issuer.stream.cut(true)
  isolated.cutStore(true)
  await t.rejects(commitKeys(issuer.feed), notConfirmed)
  t.equal(await readHead(store.reader), 1, 'it is committed, as the answer says')
  await eventually(() => bridge.feed.seq === 1)
  await eventually(() => isolated.feed.ageMs() > 200)
  t.equal(isolated.feed.seq, 0)
  t.pass('a heartbeat of the one that has both showed it that it lacks something')
  issuer.stream.cut(false)
  await t.rejects(
    commitKeys(issuer.feed).then(() => commitKeys(isolated.feed)),
    /no route/,
    'it cannot write either',
  )
  t.equal(isolated.feed.seq, 0)
  t.ok(isolated.feed.ageMs() > 200, 'the next change does not continue what it has: still stale')
  isolated.cutStore(false)
  await eventually(() => isolated.feed.seq === 2 && isolated.feed.ageMs() < 200)
  t.same(isolated.recorder.heard, ['load 0', 1, 2])
})

t.test(
  'cut off from the Store alone, an instance hears the stream and is fresh, until it stops counting',
  async (t) => {
    const { instances } = await several(t, 2)
    const [issuer, isolated] = instances
    // It has read the Store since it joined the stream.
    await isolated.feed.catchUp()
    isolated.cutStore(true)
    for (let i = 1; i <= 3; i += 1) {
      await commitKeys(issuer.feed)
      await eventually(() => isolated.feed.seq === i && isolated.feed.ageMs() < 200)
    }
    const cutAt = performance.now()
    await eventually(() => performance.now() > cutAt + 600)
    await eventually(() => isolated.feed.ageMs() < 200)
    t.pass('three times the staleness bound after its last look at the Store it is fresh')
    isolated.pass(10_000)
    await new Promise((resolve) => setTimeout(resolve, 150))
    t.ok(isolated.feed.ageMs() > 10_000, 'without a note for disconnectedMs it believes the stream no longer')
    await commitKeys(issuer.feed)
    await eventually(() => isolated.feed.seq === 4)
    t.ok(isolated.feed.ageMs() > 10_000, 'although it goes on hearing it')
    isolated.cutStore(false)
    await eventually(() => isolated.feed.ageMs() < 200)
    t.same(isolated.recorder.heard, ['load 0', 1, 2, 3, 4])
  },
)

t.test('an entry of another version may have spoken of anything: without the Store nobody is fresh', async (t) => {
  const { instances } = await several(t, 2)
  const [issuer, isolated] = instances
  await isolated.feed.catchUp()
  isolated.cutStore(true)
  await commitKeys(issuer.feed)
  await eventually(() => isolated.feed.seq === 1 && isolated.feed.ageMs() < 200)
  const announcement = { kind: 'announcement', from: 'newer', through: 9 } as unknown as StreamMessage
  await issuer.stream.publish(announcement)
  await eventually(() => isolated.feed.ageMs() > 200)
  await commitKeys(issuer.feed)
  await eventually(() => isolated.feed.seq === 2)
  t.ok(isolated.feed.ageMs() > 200, 'what continues is applied, and yet something may be missing')
  t.ok(isolated.errors.some((error) => /of another version/.test(String(error))))
  isolated.cutStore(false)
  await eventually(() => isolated.feed.ageMs() < 200)
  t.same(isolated.recorder.heard, ['load 0', 1, 2])
})

t.test('cut off from both, an instance is stale and whole again by itself', async (t) => {
  const { instances } = await several(t, 2)
  const [issuer, lost] = instances
  lost.cutStore(true)
  lost.stream.cut(true)
  await commitKeys(issuer.feed)
  await eventually(() => lost.feed.ageMs() > 200)
  t.equal(lost.feed.seq, 0)
  await t.rejects(commitKeys(lost.feed), /no route/, 'it cannot commit')
  lost.cutStore(false)
  lost.stream.cut(false)
  await eventually(() => lost.feed.seq === 1 && lost.feed.ageMs() < 200)
  t.same(lost.recorder.heard, ['load 0', 1])
})

t.test('cut off from the stream and back without the Store, the stream alone makes nobody fresh', async (t) => {
  const { instances } = await several(t, 2)
  const [issuer, other] = instances
  other.cutStore(true)
  other.stream.cut(true)
  await commitKeys(issuer.feed)
  other.stream.cut(false)
  await eventually(() => other.feed.ageMs() > 600)
  t.equal(other.feed.seq, 0, 'its own heartbeats come back, but what came while it was away is unknown')
  other.cutStore(false)
  await eventually(() => other.feed.seq === 1 && other.feed.ageMs() < 200)
})

t.test(
  'an instance that died without a word holds up unpublished commits for disconnectedMs, not longer',
  async (t) => {
    const { store, instances } = await several(t, 1)
    const [issuer] = instances
    const dead = { id: 'dead', name: 'dead', startedAt: 1, seenAt: Date.now() + 3_600_000, appliedSeq: 0 }
    await store.transaction((tx) => noteInstance(tx, dead))
    t.equal(await commitKeys(issuer.feed), 1, 'published: nobody waits')
    issuer.stream.cut(true)
    await t.rejects(commitKeys(issuer.feed), notConfirmed)
    issuer.pass(11_100)
    t.equal(await commitKeys(issuer.feed), 3, 'its row has not changed for long enough, whatever its clock said')
    await store.transaction((tx) => noteInstance(tx, { ...dead, seenAt: 5 }))
    await t.rejects(commitKeys(issuer.feed), notConfirmed, 'any change of the row is a sign of life')
    await store.transaction((tx) => noteInstance(tx, { ...dead, seenAt: 6, appliedSeq: 5 }))
    t.equal(await commitKeys(issuer.feed), 5, 'and it counts as knowing what it says it knows')
  },
)

t.test('an instance that stopped in order is not waited for and answers nothing', async (t) => {
  const { instances } = await several(t, 2)
  const [issuer, other] = instances
  issuer.stream.cut(true)
  await other.feed.stop()
  t.equal(other.feed.ageMs(), Number.POSITIVE_INFINITY)
  t.equal(await commitKeys(issuer.feed), 1)
})

t.test('one that starts while others commit without the stream has everything that was answered', async (t) => {
  const { start, instances } = await several(t, 1, { confirmMs: 10_000 })
  const [issuer] = instances
  issuer.stream.cut(true)
  let isDone = false
  let answered = 0
  const committing = (async () => {
    while (!isDone) {
      answered = await commitKeys(issuer.feed)
      // A turn of the event loop, as there is between two requests.
      await new Promise((resolve) => setImmediate(resolve))
    }
  })()
  for (let i = 0; i < 5; i += 1) {
    const started = await start()
    t.ok(started.feed.seq >= answered, `applied ${started.feed.seq}, answered ${answered}`)
  }
  isDone = true
  await committing
})

t.test('F22 after a pause nothing is decided on the old view', async (t) => {
  const { instances } = await several(t, 2, { lostMs: 200, staleAfterMs: 5_000, pollMs: 50 })
  const [issuer, paused] = instances
  await eventually(() => paused.feed.ageMs() < 5_000)
  await issuer.feed.commit(async (_tx, record) => void record({ kind: 'keys' }))
  await eventually(() => paused.feed.seq === 1)
  // A look at the Store right after the pause would make it fresh, and rightly so.
  paused.stream.cut(true)
  paused.cutStore(true)
  // Blocks this thread, and with it every timer, socket and poll.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300)
  t.equal(paused.feed.ageMs(), Number.POSITIVE_INFINITY, 'the very first look, before any timer could run')
  await new Promise((resolve) => setImmediate(resolve))
  t.equal(paused.feed.ageMs(), Number.POSITIVE_INFINITY, 'nor after one turn of the event loop')
  paused.cutStore(false)
  paused.stream.cut(false)
  await eventually(() => paused.feed.ageMs() < 5_000)
  t.equal(paused.feed.seq, 1, 'fresh again only with what came meanwhile')
})

t.test('stall detector: a late timer is no loss, a lost second is, and only once', async (t) => {
  let at = 0
  let losses = 0
  const stallDetector = createStallDetector({ lostMs: 40, monotonic: () => at, onLost: () => (losses += 1) })
  t.ok(stallDetector.isLost(0), 'not begun: nothing is known')
  stallDetector.begin()
  t.teardown(stallDetector.end)
  at = 40
  t.notOk(stallDetector.isLost(at))
  await new Promise((resolve) => setTimeout(resolve, 60))
  t.equal(losses, 0)
  at = 81
  t.ok(stallDetector.isLost(at))
  await eventually(() => losses === 1)
  t.notOk(stallDetector.isLost(at))
  t.equal(stallDetector.lostUntil(), 81)
})
