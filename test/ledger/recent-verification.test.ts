// One verification of the ledger for all who want to know.

import t from 'tap'
import type { Verification } from '../../src/ledger/verify.js'
import { createRecentVerification } from '../../src/management/audit/recent-verification.js'

function scene() {
  const running: { end(count: number): void; fail(error: Error): void }[] = []
  const clock = { ms: 0 }
  const verify = () =>
    new Promise<Verification>((resolve, reject) => {
      const end = (count: number) =>
        resolve({ clean: true, count, start: 0, head: '', problems: [], checkpoints: 0, reached: count })
      running.push({ end, fail: reject })
    })
  const recent = createRecentVerification(verify, () => clock.ms)
  return { running, clock, recent }
}

t.test('those who come together share one, and those who come soon after have what it found', async (t) => {
  const { running, clock, recent } = scene()
  const [one, other] = [recent.read(), recent.read()]
  t.equal(running.length, 1)
  running[0]?.end(5)
  t.same([(await one).count, (await other).count], [5, 5])
  clock.ms = 29_999
  t.equal((await recent.read()).count, 5)
  t.equal(running.length, 1)
})

t.test(
  'a long one rests for twenty times as long, and who would wait for the next has the one of before',
  async (t) => {
    const { running, clock, recent } = scene()
    const first = recent.read()
    clock.ms = 100_000
    running[0]?.end(5)
    await first
    clock.ms = 2_099_999
    t.equal((await recent.read()).count, 5)
    t.equal(running.length, 1, 'it takes a twentieth of the time')
    clock.ms = 2_100_000
    t.equal((await recent.read()).count, 5, 'while the next one takes its time')
    t.equal(running.length, 2)
    running[1]?.end(6)
    t.equal((await recent.read()).count, 6)
  },
)

t.test('one that fails is told to those who wait and to the next one who comes, and then it begins anew', async (t) => {
  const { running, recent } = scene()
  const waiting = recent.read()
  running[0]?.fail(new Error('the store is away'))
  await t.rejects(waiting, { message: 'the store is away' })
  await t.rejects(recent.read(), { message: 'the store is away' }, 'who may have come before, and did not wait')
  const again = recent.read()
  running[1]?.end(7)
  t.equal((await again).count, 7)
})

t.test('after one that fails nobody is given an older one, and a failure of long ago is told to nobody', async (t) => {
  const { running, clock, recent } = scene()
  const first = recent.read()
  running[0]?.end(5)
  await first
  clock.ms = 30_000
  const waiting = recent.read()
  running[1]?.fail(new Error('the store is away'))
  await t.rejects(waiting, { message: 'the store is away' })
  clock.ms = 90_000
  const again = recent.read()
  t.equal(running.length, 3)
  running[2]?.end(6)
  t.equal((await again).count, 6)
})
