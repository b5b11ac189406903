// Who fills the activity log: an untrusted party does not make it forget what people need.

import t from 'tap'
import { createActivity } from '../../src/ledger/activity.js'
import { listActivity } from '../../src/storage/sql/ledger/activity.js'
import { openTemporaryStore, type TestScope } from '../support/storage/temporary-store.js'

const startMs = Date.UTC(2026, 10, 21)

async function open(t: TestScope) {
  const { store } = await openTemporaryStore(t)
  const clock = { nowMs: startMs }
  const dropped = { count: 0 }
  const onDropped = () => {
    dropped.count += 1
  }
  const activity = createActivity({ store, entries: 1_000, now: () => clock.nowMs, onDropped })
  const read = (filter = {}) => listActivity(store.reader, { filter, limit: 5_000 })
  const fail = async (count: number, more: (n: number) => { address: string; userId?: string }) => {
    for (let n = 0; n < count; n += 1) {
      activity.note({ event: 'user.sign-in-failed', ...more(n), details: { proof: 'password' } })
      if (n % 500 === 499) await activity.flush()
    }
    await activity.flush()
    await activity.trim()
  }
  return { activity, clock, dropped, read, fail }
}

t.test('identity M7: an address writes so many events in an hour; the rest is one event with a number', async (t) => {
  const { activity, clock, dropped, read, fail } = await open(t)
  await fail(1, () => ({ address: '203.0.113.1', userId: 'ada' }))
  await fail(5_000, () => ({ address: '198.51.100.1' }))
  t.equal((await read()).length, 61)
  clock.nowMs += 600_000
  await activity.flush()
  const rows = await read()
  t.equal(rows.length, 62)
  const sum = rows.find(({ details }) => details.includes('repeated'))
  t.match(sum, { event: 'user.sign-in-failed', address: '198.51.100.1' })
  t.same(JSON.parse(sum?.details ?? ''), { repeated: 4_940, since: new Date(startMs).toISOString() })
  t.ok(
    rows.find((row) => row.user_id === 'ada'),
    'what was there is there',
  )
  t.equal(dropped.count, 0)
  clock.nowMs += 3_600_000
  await fail(70, () => ({ address: '198.51.100.1' }))
  t.equal((await read()).length, 122, 'each hour anew')
})

t.test('identity M7: events about one person from many addresses, and about nobody, are added up too', async (t) => {
  const { activity, read, fail } = await open(t)
  await fail(1, () => ({ address: '203.0.113.1', userId: 'ada' }))
  await fail(2_000, (n) => ({ address: `198.51.${Math.floor(n / 250)}.${n % 250}`, userId: 'ben' }))
  await fail(2_000, (n) => ({ address: `192.0.${Math.floor(n / 250)}.${n % 250}` }))
  await activity.flush({ last: true })
  const rows = await read()
  t.equal(rows.filter((row) => row.user_id === 'ben').length, 201, 'and their sum')
  t.equal(rows.filter((row) => row.user_id === null).length, 501)
  t.equal(rows.filter((row) => row.user_id === 'ada').length, 1)
  const sums = rows.flatMap(({ details }) => JSON.parse(details).repeated ?? [])
  t.same(new Set(sums), new Set([1_800, 1_500]))
})

t.test(
  'identity M7: a million addresses do not grow what is remembered, and what the server notes is kept',
  async (t) => {
    const { activity, read, dropped } = await open(t)
    for (let n = 0; n < 50_000; n += 1) activity.note({ event: 'browser.form-refused', address: `a${n}` })
    for (let n = 0; n < 100; n += 1) activity.note({ event: 'user.sign-in-delayed', userId: 'ada' })
    await activity.flush({ last: true })
    t.equal(dropped.count, 0)
    t.ok((await read()).length < 1_000)
    t.equal((await read({})).filter((row) => row.user_id === 'ada').length, 100)
  },
)
