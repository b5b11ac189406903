// The stream on a real Redis that is killed, emptied, stopped, cut and lied to: nothing is missed, nothing comes twice.
// full: kills and stops Redis
// run: apart

import t, { type Test } from 'tap'
import type { ChangeStream } from '../../../src/storage/changes/change-stream.js'
import { createMessageSeal } from '../../../src/storage/changes/message-seal.js'
import { startRedis } from '../../support/databases/redis.js'
import { createSharedInstance, openTestStream } from '../../support/storage/feed-instances.js'
import { commitKeys, eventually } from '../../support/storage/feed-recorder.js'
import { openTemporaryStore } from '../../support/storage/temporary-store.js'

const redis = await startRedis(t)
const range = (to: number) => Array.from({ length: to }, (_, i) => i + 1)
let prefixes = 0

/** Two started instances with a stream each; `joined` is how often each has joined it. */
async function pair(t: Test, pollMs: number, commandMs?: number) {
  const { another } = await openTemporaryStore(t)
  prefixes += 1
  const prefix = `redis-${prefixes}`
  const open = async () => {
    const stream = await openTestStream(redis.url, prefix, commandMs)
    t.teardown(() => stream.stop())
    let ups = 0
    const onStream = (up: boolean) => {
      ups += up ? 1 : 0
    }
    const given = { pollMs, staleAfterMs: 5_000, onStream }
    const instance = createSharedInstance<ChangeStream>(t, { store: await another(), stream }, given)
    instance.feed.follow(instance.recorder)
    await instance.feed.start()
    await eventually(() => ups > 0)
    await instance.feed.catchUp()
    return { ...instance, joined: () => ups }
  }
  return { here: await open(), there: await open(), key: `{${prefix}}:changes` }
}

t.test('a change is spread by Redis, not by the poll', async (t) => {
  const { here, there } = await pair(t, 3_600_000)
  for (let i = 0; i < 20; i += 1) await commitKeys(i % 2 === 0 ? here.feed : there.feed)
  await eventually(() => here.feed.seq === 20 && there.feed.seq === 20)
  for (const { recorder } of [here, there]) t.same(recorder.heard, ['load 0', ...range(20)])
})

t.test('F21 with every connection killed again and again nothing is missed and nothing comes twice', async (t) => {
  const { here, there } = await pair(t, 100)
  let kills = 0
  const killing = setInterval(() => {
    kills += 1
    redis.command('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes').catch(() => {})
  }, 100)
  t.teardown(() => clearInterval(killing))
  while (kills < 10) {
    await commitKeys(there.feed)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  clearInterval(killing)
  const last = await commitKeys(there.feed)
  await eventually(() => here.feed.seq === last)
  for (const { recorder } of [here, there]) t.same(recorder.heard, ['load 0', ...range(last)])
  // On a busy machine it may come back only now that nobody cuts it off any more.
  await eventually(() => here.joined() > 1)
})

t.test('F1 F5 a Redis that is killed and comes back empty has lost nothing for us', async (t) => {
  const { here, there } = await pair(t, 100)
  await commitKeys(there.feed)
  await redis.kill()
  await commitKeys(there.feed)
  await eventually(() => here.feed.seq === 2)
  await eventually(() => here.feed.ageMs() < 3_000)
  t.pass('the poll goes on')
  const joined = [here.joined(), there.joined()] as const
  await redis.start()
  await eventually(() => here.joined() > joined[0] && there.joined() > joined[1])
  await commitKeys(there.feed)
  await eventually(() => here.feed.seq === 3)
  t.same(here.recorder.heard, ['load 0', 1, 2, 3])
})

t.test('F2 a Redis that hangs delays an answer by its time-out and a poll; then it serves again', async (t) => {
  const commandMs = 200
  const pollMs = 100
  const { here, there } = await pair(t, pollMs, commandMs)
  const joined = here.joined()
  redis.pause()
  t.teardown(() => redis.resume())
  const times: number[] = []
  for (let i = 1; i <= 5; i += 1) {
    const began = performance.now()
    const seq = await commitKeys(there.feed)
    times.push(performance.now() - began)
    t.ok(here.feed.seq >= seq, 'answered when the other had it')
  }
  // The machine may stand still during one or two of them; what the product waits for delays each.
  const usual = times.toSorted((a, b) => a - b)[2] ?? Number.NaN
  t.ok(usual < 3 * (commandMs + pollMs + 100), `the middle one of five took ${Math.round(usual)} ms`)
  t.ok(Math.max(...times) < 10_000, 'and none for ever')
  // Longer than a blocked read may be silent: it is given up and made anew.
  await new Promise((resolve) => setTimeout(resolve, 3_500))
  await eventually(() => here.feed.ageMs() < 3_000)
  redis.resume()
  await eventually(() => here.joined() > joined)
  await commitKeys(there.feed)
  await eventually(() => here.feed.seq === 6)
  t.same(here.recorder.heard, ['load 0', ...range(6)])
})

t.test('F7 what untrusted parties write into the stream is ignored, and so is a key of another type', async (t) => {
  const { here, there, key } = await pair(t, 100)
  const untrusted = createMessageSeal([new Uint8Array(32).fill(9)], key)
  const rows = [{ seq: 1, at: 0, body: '{"kind":"tenant","tenantId":"x","state":"disabled"}' }]
  const forged = untrusted.seal({ kind: 'changes', from: 'x', rows })
  await redis.command('XADD', key, '*', 'm', forged)
  await redis.command('XADD', key, '*', 'other', 'x')
  await redis.command('XADD', key, '*', 'm', 'x', 'm', 'y')
  await eventually(() => here.errors.length > 0)
  t.equal(here.feed.seq, 0)
  t.equal(await commitKeys(there.feed), 1)
  await eventually(() => here.feed.seq === 1)
  t.same(here.recorder.changes[0]?.entry, { kind: 'keys' })
  await redis.command('SET', key, 'x')
  t.equal(await commitKeys(there.feed), 2, 'the others found it by polling')
  t.equal(here.feed.seq, 2)
  await redis.command('DEL', key)
  await commitKeys(there.feed)
  await eventually(() => here.feed.seq === 3)
  t.same(here.recorder.heard, ['load 0', 1, 2, 3])
})

t.test('a stream that was emptied and begins at lower identifiers is noticed', async (t) => {
  const { here, there, key } = await pair(t, 3_600_000)
  await commitKeys(there.feed)
  await redis.command('XADD', key, '99999999999999-0', 'm', 'x')
  await eventually(() => here.errors.length > 0)
  const joined = here.joined()
  await redis.command('DEL', key)
  await eventually(() => here.joined() > joined)
  await commitKeys(there.feed)
  await eventually(() => here.feed.seq === 2)
  t.same(here.recorder.heard, ['load 0', 1, 2])
})

t.test('the stream is bounded', async (t) => {
  const { there, key } = await pair(t, 3_600_000)
  const heartbeat = { kind: 'heartbeat', from: 'x', heartbeat: 0, seq: 0 } as const
  for (let i = 0; i < 60; i += 1) {
    // Some may be late on a busy machine; that is theirs.
    await Promise.allSettled(Array.from({ length: 50 }, () => there.stream.publish(heartbeat)))
  }
  t.ok(Number(await redis.command('XLEN', key)) < 2_300)
})
