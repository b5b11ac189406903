// What the stream brings, and what it cannot bring in: nothing is missed, nothing comes twice, nobody else is believed.
// run: apart

import t, { type Test } from 'tap'
import type { StreamMessage } from '../../../src/storage/changes/change-stream.js'
import { createMessageSeal } from '../../../src/storage/changes/message-seal.js'
import { commitNumbered } from '../../../src/storage/changes/numbering.js'
import type { SharedFeedOptions } from '../../../src/storage/changes/shared-feed.js'
import { createCuttableStore, createSharedInstance } from '../../support/storage/feed-instances.js'
import { commitKeys, eventually } from '../../support/storage/feed-recorder.js'
import { createStreamHub } from '../../support/storage/stream-hub.js'
import { openTemporaryStore } from '../../support/storage/temporary-store.js'

const never = 3_600_000
const hubSeal = createMessageSeal([new Uint8Array(32).fill(7)], 'hub')

/** Two started instances on one Store and one stream; `here` counts its reads and can be cut off. */
async function pair(t: Test, given: Partial<SharedFeedOptions> = { pollMs: never }) {
  const { another } = await openTemporaryStore(t)
  const hub = createStreamHub()
  const cuttable = createCuttableStore(await another())
  const here = createSharedInstance(t, { store: cuttable.store, stream: hub.connect() }, given)
  const there = createSharedInstance(t, { store: await another(), stream: hub.connect() }, given)
  for (const { feed, recorder } of [here, there]) {
    feed.follow(recorder)
    await feed.start()
  }
  await eventually(() => cuttable.reads() > 0)
  return { hub, here, there, cuttable }
}

const range = (to: number) => Array.from({ length: to }, (_, i) => i + 1)
const changes = (seq: number, body: string, at = Date.now()): StreamMessage => ({
  kind: 'changes',
  from: 'somebody',
  rows: [{ seq, at, body }],
})

t.test('a change that continues what is applied is applied without asking the Store', async (t) => {
  const { here, there, cuttable } = await pair(t)
  // The looks of the start are over when the age comes from a completed one.
  await here.feed.catchUp()
  cuttable.cut(true)
  for (let i = 0; i < 5; i += 1) await commitKeys(there.feed)
  await eventually(() => here.feed.seq === 5)
  t.same(here.recorder.heard, ['load 0', 1, 2, 3, 4, 5])
  cuttable.cut(false)
})

t.test('F9 a Store that hangs in the middle of a poll does not keep the stream from being heard', async (t) => {
  const { here, there, cuttable } = await pair(t)
  await here.feed.catchUp()
  cuttable.hang(true)
  t.teardown(() => cuttable.hang(false))
  const hanging = here.feed.catchUp()
  for (let i = 0; i < 5; i += 1) await commitKeys(there.feed)
  await eventually(() => here.feed.seq === 5)
  t.same(here.recorder.heard, ['load 0', ...range(5)])
  cuttable.hang(false)
  await t.rejects(hanging, { code: 'store_unavailable' })
  await here.feed.catchUp()
  t.same(here.recorder.heard, ['load 0', ...range(5)], 'and what was heard is confirmed, not heard again')
})

t.test('F20 commits published in reverse order are heard once each, in the order of the commits', async (t) => {
  const { hub, here, there } = await pair(t)
  await hub.hold(true)
  for (let i = 0; i < 6; i += 1) await commitKeys(i % 2 === 0 ? there.feed : here.feed)
  await hub.hold(false, (texts) => texts.reverse())
  await Promise.all([here.feed.catchUp(), there.feed.catchUp()])
  t.same(here.recorder.heard, ['load 0', ...range(6)])
  t.same(there.recorder.heard, ['load 0', ...range(6)])
  for (const text of hub.entries) await hub.inject(text)
  t.same(here.recorder.heard, ['load 0', ...range(6)], 'repeated, nothing is heard again')
})

t.test('a gap makes the instance ask the Store, and nothing is missed', async (t) => {
  const { here, there } = await pair(t)
  there.stream.cut(true)
  const { seq } = await commitNumbered(there.store, async (_tx, record) => record({ kind: 'keys' }), {
    at: 0,
    applied: 0,
  })
  t.equal(seq, 1, 'committed by somebody who died before he could publish it')
  there.stream.cut(false)
  await commitKeys(there.feed)
  await eventually(() => here.feed.seq === 2)
  t.same(here.recorder.heard, ['load 0', 1, 2])
})

t.test('a change that was never published is found by polling, and passed on by the next heartbeat', async (t) => {
  const { here, there } = await pair(t, { pollMs: never, staleAfterMs: 100 })
  await commitNumbered(there.store, async (_tx, record) => record({ kind: 'keys' }), { at: 0, applied: 0 })
  await there.feed.catchUp()
  await eventually(() => here.feed.seq === 1)
  t.same(here.recorder.heard, ['load 0', 1], 'its own poll would have come in an hour')
})

t.test('after the stream was away, what was missed comes from the Store, once', async (t) => {
  const { here, there } = await pair(t)
  for (let i = 0; i < 20; i += 1) {
    here.stream.cut(true)
    await commitKeys(there.feed)
    here.stream.cut(false)
    await commitKeys(there.feed)
  }
  await eventually(() => here.feed.seq === 40)
  t.same(here.recorder.heard, ['load 0', ...range(40)])
})

t.test('a commit too long for a message is announced by its number', async (t) => {
  const { hub, here, there } = await pair(t)
  await there.feed.commit(async (_tx, record) => {
    for (let i = 0; i < 500; i += 1) record({ kind: 'tenant', tenantId: `${i}`.padStart(100), state: 'enabled' })
  })
  await eventually(() => here.feed.seq === 500)
  t.same(here.recorder.heard, ['load 0', ...range(500)])
  t.ok(hub.entries.every((text) => text.length < 40_000))
})

t.test('F7 entries that nobody with the key has written are ignored, reported and not obeyed', async (t) => {
  // Lost time, of which a slow machine has some here, would be another reason to look at the Store.
  const { hub, here, there, cuttable } = await pair(t, { pollMs: never, lostMs: never })
  await commitKeys(there.feed)
  await here.feed.catchUp()
  const untrusted = createMessageSeal([new Uint8Array(32).fill(8)], 'hub')
  const elsewhere = createMessageSeal([new Uint8Array(32).fill(7)], 'another stream')
  const revoked = changes(2, '{"kind":"revoked","what":"tenant","id":"a","expiresAt":9e15}')
  const authentic = hubSeal.seal(revoked)
  const forgeries = [
    untrusted.seal(revoked),
    elsewhere.seal(revoked),
    JSON.stringify(revoked),
    authentic.replace('tenant', 'user'),
    authentic.replace('"seq":2', '"seq":3'),
    `${authentic} `,
    `${'A'.repeat(43)}.${authentic.slice(44)}`,
    untrusted.seal({ kind: 'heartbeat', from: here.id, heartbeat: 1, seq: 9_999 }),
    '',
    '\0',
    'x'.repeat(2_000_000),
  ]
  const readsBefore = cuttable.reads()
  for (let i = 0; i < 100; i += 1) for (const text of forgeries) await hub.inject(text)
  t.same(here.recorder.heard, ['load 0', 1])
  t.equal(here.feed.seq, 1)
  await eventually(() => cuttable.reads() > readsBefore)
  t.ok(cuttable.reads() - readsBefore <= 6, `one look at the Store, not ${forgeries.length * 100}`)
  t.equal(here.errors.length, 1, 'reported, but not a thousand times')
  t.match(here.errors, [{ message: /not write/ }])
  t.equal(await commitKeys(there.feed), 2)
  await eventually(() => here.feed.seq === 2)
  t.same(here.recorder.changes.at(-1)?.entry, { kind: 'keys' }, 'the real change of that number was not skipped')
})

t.test('F7 an authentic message that is no entry, or no message, is not applied', async (t) => {
  const { hub, here } = await pair(t)
  const bodies = ['{}', 'no json', '{"kind":"other"}', '{"kind":"revoked","what":"all","id":"x","expiresAt":1}']
  for (const body of [
    ...bodies,
    '{"kind":"keys","more":1}',
    '{"kind":"revoked","what":"user","id":"","expiresAt":1}',
  ]) {
    await hub.inject(hubSeal.seal(changes(1, body)))
    await here.feed.catchUp()
    t.equal(here.feed.seq, 0, body)
  }
  t.same(here.recorder.changes, [])
  const rows = [1, 3].map((seq) => ({ seq, at: 0, body: '{"kind":"keys"}' }))
  const malformed = [
    { kind: 'changes', from: 'x', rows },
    { kind: 'changes', from: 'x', rows: [] },
    { kind: 'changes', from: 'x', rows: [{ seq: 1.5, at: 0, body: '{"kind":"keys"}' }] },
    { kind: 'changes', from: 'x', rows: [{ seq: 1, at: 0 }] },
    { kind: 'keys', from: 'x' },
    [],
  ]
  const heardBefore = here.recorder.heard.length
  for (const message of malformed) await hub.inject(hubSeal.seal(message as unknown as StreamMessage))
  t.equal(here.recorder.heard.length, heardBefore)
})

t.test('what the stream said and the Store does not have is taken back at the next look', async (t) => {
  const { hub, here, there } = await pair(t)
  // A copy of this deployment, with the same keys on the same Redis: authentic, and yet not true here.
  await hub.inject(hubSeal.seal(changes(1, '{"kind":"tenant","tenantId":"x","state":"disabled"}')))
  t.equal(here.feed.seq, 1)
  await here.feed.catchUp()
  t.same(here.recorder.heard, ['load 0', 1, `load ${here.feed.seq}`])
  const next = here.feed.seq + 1
  t.ok(next > 2, 'V9 but its number is not given again: a token may carry it')
  await hub.inject(hubSeal.seal(changes(next, '{"kind":"tenant","tenantId":"x","state":"disabled"}')))
  await commitNumbered(there.store, async (_tx, record) => record({ kind: 'keys' }), { at: 0, applied: 0 })
  await here.feed.catchUp()
  t.equal(here.recorder.heard.at(-1), `load ${next}`, 'also when the Store has another change of that number')
  t.match(here.errors.at(-1), { message: /heard otherwise/ })
})

t.test('the seal wants a key, and opens with older ones', async (t) => {
  const [young, old] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)]
  t.throws(() => createMessageSeal([], 'x'), RangeError)
  t.throws(() => createMessageSeal([new Uint8Array(16)], 'x'), RangeError)
  const message = changes(1, '{"kind":"keys"}', 0)
  t.same(createMessageSeal([young, old], 'x').open(createMessageSeal([old], 'x').seal(message)), message)
  t.equal(createMessageSeal([old], 'x').open(createMessageSeal([young, old], 'x').seal(message)), undefined)
  const other = { kind: 'other' } as unknown as StreamMessage
  t.equal(createMessageSeal([old], 'x').open(createMessageSeal([old], 'x').seal(other)), 'unreadable')
})

t.test('the time from commit to application is reported for changes of others', async (t) => {
  const seconds: number[] = []
  const ups: boolean[] = []
  const { here, there } = await pair(t, {
    pollMs: never,
    onPropagation: (value) => seconds.push(value),
    onStream: (up) => ups.push(up),
  })
  const beganAt = Date.now()
  await commitKeys(there.feed)
  await eventually(() => here.feed.seq === 1)
  // An issuer whose own look finds the change before its commit has read it counts it too.
  t.ok(seconds.length >= 1)
  t.ok((seconds[0] ?? -1) >= 0 && (seconds[0] ?? 9) <= (Date.now() - beganAt) / 1_000)
  here.stream.cut(true)
  t.same([ups.slice(0, 2), ups.at(-1)], [[true, true], false])
})
