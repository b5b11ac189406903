// Who lives, and whose clock is wrong, by what the rows of the instances say; and who leads when leases cannot be
// renewed.
// run: apart

import t, { type Test } from 'tap'
import { createLeader } from '../../src/cluster/leader.js'
import { createMembership } from '../../src/cluster/membership.js'
import { noteInstance } from '../../src/storage/sql/cluster/instances.js'
import { createVirtualTime } from '../simulation/virtual-time.js'
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

/** Candidates for one lease in a time of its own; `ahead` is by how much the wall clock of one is wrong. */
async function candidates(t: Test, storeAhead: number | undefined = 0) {
  const { store } = await openTemporaryStore(t)
  const time = createVirtualTime()
  const timers = time.timers(() => 0.5)
  const clocks = new Map<string, number>()
  const changes: string[] = []
  const underWay = new Set<Promise<unknown>>()
  const begin = (holder: string, ahead = 0) => {
    let isAway = false
    let isStopped = false
    const bornAt = time.now()
    clocks.set(holder, ahead)
    const own = () => clocks.get(holder) ?? 0
    const whileThere = <T>(work: () => T): T => {
      if (isAway) throw new Error('away')
      return work()
    }
    const leader = createLeader({
      store: {
        get reader() {
          return whileThere(() => store.reader)
        },
        async transaction(work) {
          const done = whileThere(() => store.transaction(work))
          underWay.add(done)
          return done.finally(() => underWay.delete(done))
        },
      },
      holder,
      now: () => 1_000_000 + time.now() + own(),
      monotonic: time.now,
      // Of another, nothing is known in the first two seconds.
      clockDifferences: () =>
        [...clocks].flatMap(([name, at]) =>
          name === holder ? [] : [time.now() - bornAt < 2_000 ? undefined : at - own()],
        ),
      storeClock: async () => {
        if (storeAhead === undefined) throw new Error('no such function')
        return 1_000_000 + time.now() + storeAhead
      },
      onChange: (change) => changes.push(`${holder} ${change}`),
      onError: (error) => (isAway || storeAhead === undefined ? undefined : t.fail(String(error))),
      timers: { ...timers, after: (ms, work) => timers.after(ms, () => isStopped || work()) },
    })
    leader.begin()
    return {
      ...leader,
      away: () => {
        isAway = true
      },
      /** As a process that was killed: it says nothing any more, and nothing is given back. */
      kill: () => {
        isStopped = true
        clocks.delete(holder)
      },
      setClock: (ms: number) => clocks.set(holder, ms),
    }
  }
  /** In small steps, and what SQLite is at ends before the next. */
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 100) {
      await time.pass(Math.min(100, ms - passed))
      for (let turn = 0; turn < 3 || underWay.size > 0; turn += 1) {
        await Promise.allSettled(underWay)
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
  }
  return { begin, changes, pass }
}

const years = 5 * 365 * 86_400_000

t.test('a lease that cannot be renewed ends by itself, before another could take it', async (t) => {
  const { begin, pass, changes } = await candidates(t)
  const leader = begin('one')
  await pass(1)
  t.equal(leader.isLeader(), true)
  const rival = begin('two')
  await pass(1)
  t.equal(rival.isLeader(), false)
  t.equal(await rival.holder(), 'one')
  leader.away()
  await pass(14_900)
  t.equal(leader.isLeader(), true)
  await pass(200)
  t.equal(leader.isLeader(), false)
  await pass(10_000)
  t.equal(rival.isLeader(), true)
  t.same(changes, ['one leads', 'one ended', 'two leads'])
})

t.test(
  'F16 an instance whose wall clock is years ahead takes the lease from none that lives, and never leads',
  async (t) => {
    const { begin, pass, changes } = await candidates(t)
    const [one, two] = [begin('one'), begin('two')]
    await pass(1_000)
    const first = one.isLeader() ? one : two
    const ahead = begin('ahead', years)
    await pass(60_000)
    t.equal(first.isLeader(), true)
    t.equal(ahead.isLeader(), false)
    first.kill()
    await pass(60_000)
    t.equal(ahead.isLeader(), false, 'not when the leader is gone either')
    t.equal((first === one ? two : one).isLeader(), true)
    t.equal(changes.filter((change) => change.endsWith('leads')).length, 2)
  },
)

t.test(
  'F16 a leader whose clock is set wrong gives the lease back; the lease of one that was killed ends',
  async (t) => {
    const { begin, pass, changes } = await candidates(t)
    const one = begin('one')
    await pass(1_000)
    const two = begin('two')
    one.setClock(years)
    await pass(20_000)
    t.equal(one.isLeader(), false)
    t.equal(two.isLeader(), true)
    t.same(changes, ['one leads', 'one wrong clock', 'one ended', 'two leads'])
    two.kill()
    await pass(30_000)
    t.equal(one.isLeader(), true, 'who is alone leads, whatever its clock says')
    one.kill()
    const three = begin('three')
    await pass(14_000)
    t.equal(three.isLeader(), false)
    await pass(10_000)
    t.equal(three.isLeader(), true, 'however long the lease of the killed one was to last')
  },
)

t.test(
  'F16 an instance whose clock is ahead does not lead right after its start either, where the lease is free',
  async (t) => {
    const { begin, pass, changes } = await candidates(t)
    const one = begin('one')
    await pass(5_000)
    await one.end()
    const ahead = begin('ahead', years)
    await pass(1_000)
    t.equal(ahead.isLeader(), false, 'of the other one it knows nothing yet')
    t.same(changes, ['one leads', 'one ended', 'ahead wrong clock'], 'and it is said')
  },
)

t.test(
  'F16 a clock of the Store that is wrong, or cannot be read, stops nobody; without a majority the one behind leads',
  async (t) => {
    for (const [storeAhead, clocks, leader] of [
      [years, { one: 0, two: 0 }, /./],
      [undefined, { one: 0, two: 0 }, /./],
      [undefined, { one: 0, two: years }, /one/],
      [300_000, { two: 600_000, one: 0 }, /one/],
      [years, { three: 600_000, four: 600_000, one: 0, two: 0 }, /one|two/],
      [years, { three: years, one: 0, two: 0 }, /one|two|three/],
    ] as const) {
      const { begin, pass } = await candidates(t, storeAhead)
      const all = Object.entries(clocks).map(([name, ahead]) => ({ name, ...begin(name, ahead) }))
      await pass(30_000)
      const leading = all.filter((candidate) => candidate.isLeader()).map(({ name }) => name)
      t.equal(leading.length, 1, JSON.stringify({ storeAhead, clocks, leading }))
      t.match(leading[0], leader)
    }
  },
)
