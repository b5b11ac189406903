// run: apart

import fc from 'fast-check'
import t, { type Test } from 'tap'
import { createSignInThrottle } from '../../../src/limits/sign-in-throttle.js'
import type { Algorithm, Bucket } from '../../../src/storage/counters/counters.js'
import { createInProcessCounters } from '../../../src/storage/counters/in-process.js'
import { createRedisCounters, type RedisCounters } from '../../../src/storage/counters/redis-counters.js'
import { openRedis, type RedisConnection } from '../../../src/storage/redis/connection.js'
import { countersContract } from '../../contract/counters.js'
import { startRedis } from '../../support/databases/redis.js'

const server = await startRedis(t)
let prefixes = 0

/** A connection with keys of its own. */
async function connect(t: Test): Promise<RedisConnection> {
  prefixes += 1
  const options = { url: server.url, prefix: `t${prefixes}`, commandMs: 20_000, connectMs: 20_000 }
  const redis = await openRedis(options, 'counters')
  t.teardown(() => redis.close())
  return redis
}

/** Counters whose time is the one given to `take`. */
async function open(t: Test, maxEntries = 1_000): Promise<RedisCounters> {
  const redis = await connect(t)
  const counters = createRedisCounters({ redis, instances: () => 1, monotonic: () => 0, maxEntries, clock: 'caller' })
  t.teardown(() => counters.close())
  return counters
}

await t.test('the Counters on Redis keep the contract, strict', (t) =>
  countersContract(t, open, { mode: 'strict', isBounded: false }),
)

await t.test('and local', (t) => countersContract(t, open))

await t.test(
  'Q6 what is remembered of buckets is bounded, and one that is forgotten is limited all the same',
  async (t) => {
    const counters = await open(t, 20)
    const quota: Algorithm = { kind: 'quota', limit: 1, periodMs: 60_000 }
    const one = (i: number): Bucket => ({ key: `limit:1:p;a3:${i}`, algorithm: quota, cost: 1, mode: 'strict' })
    for (let i = 100; i < 600; i += 1) t.match(await counters.take([one(i)], i), [{ allowed: true }])
    t.ok(counters.size() <= 20, `${counters.size()} of 500`)
    for (let i = 100; i < 600; i += 1) t.match(await counters.take([one(i)], 1_000 + i), [{ allowed: false }])
    t.ok(counters.size() <= 20)
  },
)

await t.test('the script decides as the arithmetic of one process does, number by number', async (t) => {
  const algorithm = fc.oneof(
    fc.record({
      kind: fc.constant('rate' as const),
      limit: fc.integer({ min: 1, max: 12 }),
      periodMs: fc.oneof(fc.integer({ min: 1, max: 3_000 }), fc.constant(86_400_000)),
      burst: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.constant(100_000)),
    }),
    fc.record({
      kind: fc.constant('quota' as const),
      limit: fc.integer({ min: 1, max: 12 }),
      periodMs: fc.oneof(fc.integer({ min: 1, max: 3_000 }), fc.constant(2_592_000_000)),
    }),
  )
  const step = fc.record({
    // Other numbers for a key, as after a reload of the configuration.
    other: fc.boolean(),
    afterMs: fc.oneof(fc.constant(0), fc.nat(300), fc.nat(5_000), fc.double({ min: 0, max: 50, noNaN: true })),
    buckets: fc.array(fc.record({ key: fc.nat(3), cost: fc.integer({ min: 1, max: 4 }) }), {
      minLength: 1,
      maxLength: 4,
    }),
  })
  const from = fc.oneof(fc.constant(0), fc.constant(1_763_730_000_123), fc.nat(1_000_000_000))
  const redis = await connect(t)
  let histories = 0
  await fc.assert(
    fc.asyncProperty(
      from,
      fc.array(algorithm, { minLength: 5, maxLength: 5 }),
      fc.array(step, { minLength: 1, maxLength: 25 }),
      async (start, algorithms, steps) => {
        histories += 1
        await redis.run((client) => client.flushall())
        const here = createInProcessCounters()
        // A refusal that is remembered is no question to Redis, so each step has counters that remember nothing.
        const counters = createRedisCounters({
          redis,
          instances: () => 1,
          monotonic: () => 0,
          maxEntries: 0,
          clock: 'caller',
        })
        let at = start
        for (const { afterMs, buckets, other } of steps) {
          at += afterMs
          const request = buckets.map(({ key, cost }): Bucket => {
            const chosen = algorithms[other ? 4 : key] as Algorithm
            return { key: `k${key}`, algorithm: chosen, cost, mode: 'strict', onDown: 'refuse' }
          })
          const [one, two] = [here.take(request, at), await counters.take(request, at)]
          if (JSON.stringify(one) !== JSON.stringify(two)) throw new Error(JSON.stringify({ at, request, one, two }))
        }
        await counters.close()
      },
    ),
    { numRuns: 300 },
  )
  t.pass(`${histories} histories`)
})

await t.test('U7 wrong passwords count together over instances, and nobody is locked out elsewhere', async (t) => {
  const redis = await connect(t)
  const throttles = [0, 1].map(() => {
    const counters = createRedisCounters({
      redis,
      instances: () => 2,
      monotonic: () => 0,
      maxEntries: 100,
      clock: 'caller',
    })
    t.teardown(() => counters.close())
    const rate = (limit: number) => ({ limit, periodMs: 60_000 })
    const settings = { perAccount: rate(10), perAddress: rate(60), overall: rate(600) }
    return createSignInThrottle({ counters, monotonic: () => 1_000, settings })
  })
  const attempt = async (i: number, address: string) => {
    const turn = await throttles[i % 2]?.begin({ address, account: 'ada@example.test', proof: 'password' })
    if (turn?.allowed) await turn.end('failed')
    return turn?.allowed
  }
  for (let i = 0; i < 10; i += 1) t.equal(await attempt(i, '192.0.2.1'), true)
  t.same([await attempt(0, '192.0.2.1'), await attempt(1, '192.0.2.1')], [false, false])
  t.equal(await attempt(0, '198.51.100.7'), true, 'from elsewhere')
})
