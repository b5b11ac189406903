// Who lives, and whose clock is wrong, by what the rows of the instances say; and who leads when leases cannot be
// renewed.
// run: apart

import t from 'tap'
import { createLeader } from '../../src/cluster/leader.js'
import { createMembership } from '../../src/cluster/membership.js'
import { noteInstance } from '../../src/storage/sql/cluster/instances.js'
import { openTemporaryStore } from '../support/storage/temporary-store.js'
import { until } from '../support/traffic/until.js'

const row = (id: string, seenAt: number) => ({ id, name: id, startedAt: 1, seenAt, appliedSeq: 0 })

t.test('an instance counts for as long as its row changes; F16 a clock that differs is measured', async (t) => {
  const { store } = await openTemporaryStore(t)
  const note = (id: string, seenAt: number) => store.transaction((tx) => noteInstance(tx, row(id, seenAt)))
  await note('self', 1_000)
  await note('other', 1_000)
  await note('dead', 5)
  const clock = { now: 1_000_000, monotonic: 0 }
  const membership = createMembership({
    ...{ store, instanceId: 'self', silentMs: 5_000 },
    now: () => clock.now,
    monotonic: () => clock.monotonic,
    onError: (error) => t.fail(String(error)),
  })
  t.teardown(membership.end)
  t.equal(membership.count(), 1, 'at least this one')
  await membership.begin()
  t.equal(membership.count(), 3, 'a row is believed at first')
  t.equal(membership.skewMs(), 0, 'of an old row nobody knows how old it is')
  clock.monotonic = 6_000
  await note('other', clock.now - 1_000)
  await until('the dead one is noticed', () => membership.count() === 2)
  t.same(
    membership
      .members()
      .map(({ id }) => id)
      .sort(),
    ['other', 'self'],
  )
  t.equal(membership.skewMs(), 0)
  await note('other', clock.now + 300_000)
  await until('its clock is five minutes ahead', () => membership.skewMs() === 300_000)
  await note('other', clock.now - 103_000)
  await until('its clock is behind', () => membership.skewMs() === 100_000)
})

t.test('a lease that cannot be renewed ends by itself, before another could take it', async (t) => {
  const { store } = await openTemporaryStore(t)
  const clock = { monotonic: 0 }
  const transitions: boolean[] = []
  let away = false
  const leader = createLeader({
    store: {
      reader: store.reader,
      transaction: (work) => (away ? Promise.reject(new Error('away')) : store.transaction(work)),
    },
    holder: 'one',
    now: () => 1_000_000 + clock.monotonic,
    monotonic: () => clock.monotonic,
    onChange: (leads) => transitions.push(leads),
    onError: () => {},
  })
  const rival = createLeader({
    store,
    holder: 'two',
    now: () => 1_000_000 + clock.monotonic,
    monotonic: () => clock.monotonic,
    onChange: () => {},
    onError: (error) => t.fail(String(error)),
  })
  t.teardown(() => Promise.all([leader.end(), rival.end()]))
  leader.begin()
  await until('it leads', leader.isLeader)
  rival.begin()
  t.equal(rival.isLeader(), false)
  t.equal(await rival.holder(), 'one')
  away = true
  clock.monotonic = 14_999
  t.equal(leader.isLeader(), true)
  clock.monotonic = 15_000
  t.equal(leader.isLeader(), false)
  t.not(await leader.holder(), 'one', 'it has ended in the Store too')
  t.equal(transitions[0], true)
  await until('the rival leads', rival.isLeader, 20_000)
  t.equal(leader.isLeader(), false)
})
