// run: apart

import fc from 'fast-check'
import t, { type Test } from 'tap'
import type { Algorithm, Bucket } from '../../../src/storage/counters/counters.js'
import { leaseMs, mostAhead } from '../../../src/storage/counters/lease-terms.js'
import { createRedisCounters, type RedisCounters } from '../../../src/storage/counters/redis-counters.js'
import { openRedis, type RedisConnection } from '../../../src/storage/redis/connection.js'
import { startRedis } from '../../support/databases/redis.js'

const server = await startRedis(t)
const INSTANCES = 3

async function connect(t: Test, prefix: string): Promise<RedisConnection> {
  const redis = await openRedis({ url: server.url, prefix, commandMs: 20_000, connectMs: 20_000 }, 'counters')
  t.teardown(() => redis.close())
  return redis
}

const leased = (algorithm: Algorithm): Bucket => ({ key: 'k', algorithm, cost: 1, mode: 'leased', onDown: 'refuse' })

/** Gives background refills a turn. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Throws when the units of a quota in some period, or of a rate beyond what leaks, were ever more than allowed. */
function checkNeverExceeded(algorithm: Algorithm, spent: readonly number[]): void {
  if (algorithm.kind === 'quota') {
    for (let i = algorithm.limit; i < spent.length; i += 1) {
      const span = (spent[i] ?? 0) - (spent[i - algorithm.limit] ?? 0)
      if (span < algorithm.periodMs) throw new Error(`${algorithm.limit + 1} units within ${span} ms`)
    }
    return
  }
  let level = 0
  let at = spent[0] ?? 0
  for (const now of spent) {
    level = Math.max(0, level - ((now - at) * algorithm.limit) / algorithm.periodMs) + 1
    at = now
    if (level > algorithm.burst + 1e-6) throw new Error(`${level} units at once, for a burst of ${algorithm.burst}`)
  }
}

await t.test('leases never let a limit be exceeded, no matter who asks when and how leases end', async (t) => {
  const algorithm = fc.oneof(
    fc.record({
      kind: fc.constant('quota' as const),
      limit: fc.integer({ min: 1, max: 300 }),
      periodMs: fc.integer({ min: 1_600, max: 9_000 }),
    }),
    fc.record({
      kind: fc.constant('rate' as const),
      limit: fc.integer({ min: 20, max: 900 }),
      periodMs: fc.integer({ min: 500, max: 9_000 }),
      burst: fc.integer({ min: 1, max: 200 }),
    }),
  )
  const step = fc.record({
    afterMs: fc.oneof(fc.constant(0), fc.nat(5), fc.nat(60), fc.nat(700)),
    instance: fc.nat(INSTANCES - 1),
    times: fc.integer({ min: 1, max: 20 }),
  })
  const redis = await connect(t, 'p')
  const figures = { spent: 0, atOnce: 0, refused: 0 }
  await fc.assert(
    fc.asyncProperty(algorithm, fc.array(step, { minLength: 30, maxLength: 120 }), async (algorithm, steps) => {
      await redis.run((client) => client.flushall())
      let now = 1_000_000
      const open = (): RedisCounters =>
        createRedisCounters({ redis, instances: () => INSTANCES, monotonic: () => now, clock: 'caller' })
      const instances = Array.from({ length: INSTANCES }, open)
      const spent: number[] = []
      for (const { afterMs, instance, times } of steps) {
        now += afterMs
        for (let i = 0; i < times; i += 1) {
          const answer = instances[instance]?.take([leased(algorithm)], now) ?? []
          const [state] = await answer
          if (state?.allowed === true) spent.push(now)
          figures.atOnce += Array.isArray(answer) && state?.allowed === true ? 1 : 0
          figures.refused += state?.allowed === false ? 1 : 0
        }
        if (afterMs > 0) await settle()
      }
      await Promise.all(instances.map((each) => each.close()))
      figures.spent += spent.length
      checkNeverExceeded(algorithm, spent)
    }),
    { numRuns: 60, endOnFailure: true },
  )
  t.comment(`60 histories: ${JSON.stringify(figures)}`)
  t.ok(figures.atOnce > figures.spent / 20, 'a good part was spent without a round trip')
  t.ok(figures.refused > 0)
})

/** Two instances on one clock that `at` sets, and what they let through. */
async function pair(t: Test, algorithm: Algorithm, prefix: string) {
  const redis = await connect(t, prefix)
  let now = 1_000_000
  const open = () => createRedisCounters({ redis, instances: () => INSTANCES, monotonic: () => now, clock: 'caller' })
  const both = [open(), open()] as const
  const spent: number[] = []
  /** Takes at most `most` units one by one. */
  const take = async (counters: RedisCounters, most: number, mode: 'leased' | 'strict' = 'leased'): Promise<number> => {
    let taken = 0
    while (taken < most && (await counters.take([{ ...leased(algorithm), mode }], now))[0]?.allowed === true) {
      taken += 1
      await settle()
    }
    for (let i = 0; i < taken; i += 1) spent.push(now)
    return taken
  }
  const at = (ms: number): void => {
    now = 1_000_000 + ms
  }
  const close = () => Promise.all(both.map((each) => each.close()))
  return { both, take, spent, at, close }
}

await t.test('Q1 units leased at the end of a slot and spent in the next count a whole period from then', async (t) => {
  const algorithm: Algorithm = { kind: 'quota', limit: 960, periodMs: 3_000 }
  const { both, take, spent, at, close } = await pair(t, algorithm, 'quota-edge')
  const [late, other] = both
  at(98)
  await take(late, 30)
  await take(other, 960, 'strict')
  at(193)
  t.ok((await take(late, 20)) > 0, 'the lease is spent in the next slot')
  for (const ms of [3_099, 3_100, 3_193, 3_200]) {
    at(ms)
    await take(other, 960, 'strict')
  }
  t.ok(spent.length > 1_500, 'what was spent at first is forgotten by then')
  checkNeverExceeded(algorithm, spent)
  t.pass('and no period holds more than the limit')
  await close()
})

await t.test('Q1 units of a rate leased before and spent together with a burst do not exceed the burst', async (t) => {
  const algorithm: Algorithm = { kind: 'rate', limit: 6_000, periodMs: 60_000, burst: 200 }
  const { both, take, spent, at, close } = await pair(t, algorithm, 'rate-edge')
  const [late, other] = both
  await take(late, 20)
  at(400)
  t.equal(await take(late, 5), 5)
  t.ok((await take(other, 300)) > 100, 'the burst, but for what is held back')
  await take(late, 300)
  checkNeverExceeded(algorithm, spent)
  t.pass('together they stay within it')
  await close()
})

await t.test('Q1 a quota that is requested everywhere is spent but for what its bound says', async (t) => {
  for (const limit of [10, 100, 1_000]) {
    const algorithm: Algorithm = { kind: 'quota', limit, periodMs: 60_000 }
    const redis = await connect(t, `below-${limit}`)
    let now = 1_000_000
    const open = () => createRedisCounters({ redis, instances: () => INSTANCES, monotonic: () => now, clock: 'caller' })
    const instances = Array.from({ length: INSTANCES }, open)
    let spent = 0
    for (let round = 0; round < limit; round += 1) {
      now += 0.5
      for (const each of instances) if ((await each.take([leased(algorithm)], now))[0]?.allowed === true) spent += 1
      if (round % 5 === 0) await settle()
    }
    const bound = 2 * INSTANCES * mostAhead(algorithm, INSTANCES)
    t.comment(`${spent} of ${limit}, the bound is ${limit - bound}`)
    t.ok(spent <= limit && spent >= limit - bound)
    for (const each of instances) await each.close()
  }
})

await t.test('what is left of a lease goes back to the others when it ends', async (t) => {
  // A day, so that all leases are of one slot: of two that end in different ones, what is left of one is lost.
  const algorithm: Algorithm = { kind: 'quota', limit: 480, periodMs: 86_400_000 }
  const redis = await connect(t, 'back')
  const began = performance.now()
  const monotonic = (): number => performance.now() - began
  const open = () => createRedisCounters({ redis, instances: () => INSTANCES, monotonic })
  const [idle, other] = [open(), open()]
  let allowedCount = 0
  const strict: Bucket = { ...leased(algorithm), mode: 'strict' }
  const remaining = async (): Promise<number> => (await other.peek([strict], monotonic()))[0]?.remaining ?? 0
  let isAhead = false
  // More than once only where the machine stood still for longer than a lease lives.
  for (let turn = 0; turn < 10 && !isAhead; turn += 1) {
    for (let i = 0; i < 40; i += 1) {
      if ((await idle.take([leased(algorithm)], monotonic()))[0]?.allowed === true) allowedCount += 1
      await settle()
    }
    isAhead = (await remaining()) < 480 - allowedCount
  }
  t.ok(isAhead, 'some are taken ahead')
  for (const until = performance.now() + 30_000; (await remaining()) !== 480 - allowedCount; ) {
    if (performance.now() > until) throw new Error(`still ${await remaining()} of ${480 - allowedCount}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  t.pass('and after a second or two none are')
  await idle.close()
  await other.close()
})

await t.test('a lease is renewed in the background before it is empty, and requested once at a time', async (t) => {
  const algorithm: Algorithm = { kind: 'quota', limit: 1_000_000, periodMs: 60_000 }
  const redis = await connect(t, 'renewed')
  const counters = createRedisCounters({ redis, instances: () => 1, monotonic: () => performance.now() })
  const calls = async () =>
    Number(/cmdstat_evalsha:calls=(\d+)/.exec(await server.command('info', 'commandstats'))?.[1])
  const before = await calls()
  let waited = 0
  for (let i = 0; i < 20_000; i += 1) {
    const answer = counters.take([leased(algorithm)], performance.now())
    if (!Array.isArray(answer)) waited += 1
    if ((await answer)[0]?.allowed !== true) throw new Error('refused')
    if (i % 50 === 0) await settle()
  }
  const roundTrips = (await calls()) - before
  t.comment(`20,000 decisions: ${waited} waited, ${roundTrips} round trips`)
  t.ok(waited < 1_000 && roundTrips < 1_500)
  await counters.close()
})

await t.test('other numbers under the same name: what was taken ahead under the old ones is not spent', async (t) => {
  const redis = await connect(t, 'renamed')
  let now = 1_000_000
  const counters = createRedisCounters({ redis, instances: () => 1, monotonic: () => now, clock: 'caller' })
  const before: Algorithm = { kind: 'quota', limit: 1_000, periodMs: 60_000 }
  for (let i = 0; i < 300; i += 1) {
    now += 1
    await counters.take([leased(before)], now)
    if (i % 5 === 0) await settle()
  }
  let states = counters.take([leased(before)], now)
  // Where Redis is slow the last lease may be empty and the next one on its way.
  for (let turn = 0; turn < 20 && !Array.isArray(states); turn += 1) {
    await states
    await settle()
    states = counters.take([leased(before)], now)
  }
  t.ok(Array.isArray(states), 'there is a lease')
  const after: Algorithm = { ...before, limit: 20 }
  t.match(await counters.take([leased(after)], now), [{ allowed: false }], 'more was used than is allowed now')
  t.match(
    await counters.take([leased({ ...after, limit: 2_000 })], now),
    [{ allowed: true }],
    'a refusal does not stay',
  )
  t.match(await counters.take([{ ...leased(after), mode: 'strict' }], now), [{ allowed: false }], 'strict from now on')
  t.match(await counters.take([{ ...leased(after), mode: 'local' }], now), [{ allowed: true }], 'local counts anew')
  await counters.close()
})

await t.test(
  'what is refused for its cost is refused here for as much or more, and requested when it is less',
  async (t) => {
    const redis = await connect(t, 'costly')
    const counters = createRedisCounters({ redis, instances: () => 3, monotonic: () => 1_000_000, clock: 'caller' })
    const strict = (cost: number): Bucket => ({
      ...leased({ kind: 'quota', limit: 10, periodMs: 60_000 }),
      ...{ mode: 'strict', cost },
    })
    t.match(await counters.take([strict(7)], 1_000_000), [{ allowed: true, remaining: 3 }])
    t.match(await counters.take([strict(5)], 1_000_000), [{ allowed: false }])
    for (const cost of [5, 6]) {
      const states = counters.take([strict(cost)], 1_000_000)
      t.ok(Array.isArray(states) && states[0]?.allowed === false, `${cost} units at once`)
    }
    t.match(await counters.take([strict(2)], 1_000_000), [{ allowed: true, remaining: 1 }])
    t.ok(Array.isArray(counters.take([strict(5)], 1_000_000)), 'and what is refused stays so')
    await counters.close()
  },
)

await t.test(
  'a request that costs more than the part of an instance takes all of it and works off the rest',
  async (t) => {
    const redis = await connect(t, 'parts')
    let now = 1_000_000
    const counters = createRedisCounters({ redis, instances: () => 3, monotonic: () => now, clock: 'caller' })
    const local = (cost: number): Bucket => ({
      ...leased({ kind: 'rate', limit: 30, periodMs: 30_000, burst: 9 }),
      ...{ mode: 'local', cost },
    })
    t.match(await counters.take([local(6)], now), [{ allowed: true, remaining: 0 }], 'six, of a part of three')
    t.match(await counters.take([local(1)], now), [{ allowed: false, retryAfterMs: 12_000 }], 'four have to go first')
    now += 15_000
    t.match(await counters.take([local(6)], now), [{ allowed: false, retryAfterMs: 3_000 }], 'not all of it is free')
    now += 3_000
    t.match(await counters.take([local(6)], now), [{ allowed: true }])
    t.match(await counters.take([local(10)], now), [{ allowed: false, retryAfterMs: Number.POSITIVE_INFINITY }])
    await counters.close()
  },
)

t.test('a lease lives at most a slot, and is not taken when too little would be left beside it', async (t) => {
  const table: [string, Algorithm, number][] = [
    ['a second at most', { kind: 'quota', limit: 100, periodMs: 3_600_000 }, 1_000],
    ['a thirtieth of the period', { kind: 'quota', limit: 100, periodMs: 6_000 }, 200],
    ['a period too short', { kind: 'quota', limit: 100, periodMs: 1_000 }, 0],
    ['a quarter of the burst', { kind: 'rate', limit: 6_000, periodMs: 60_000, burst: 200 }, 500],
    ['a rate of any period', { kind: 'rate', limit: 100, periodMs: 1_000, burst: 100 }, 250],
    ['a burst of one', { kind: 'rate', limit: 60, periodMs: 60_000, burst: 1 }, 0],
    ['a burst too small for the rate', { kind: 'rate', limit: 60_000, periodMs: 60_000, burst: 10 }, 0],
  ]
  for (const [title, algorithm, expected] of table) t.equal(leaseMs(algorithm), expected, title)
})
