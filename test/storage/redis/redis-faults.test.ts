// full: kills and stops Redis
// run: apart

import { connect as connectSocket, createServer } from 'node:net'
import t, { type Test } from 'tap'
import {
  type Algorithm,
  type Bucket,
  CountersUnavailable,
  type CountingMode,
} from '../../../src/storage/counters/counters.js'
import { createRedisCounters, type RedisCounters } from '../../../src/storage/counters/redis-counters.js'
import { openRedis, type RedisConnection } from '../../../src/storage/redis/connection.js'
import { startRedis } from '../../support/databases/redis.js'
import { watchStalls } from '../../support/traffic/stalls.js'

const server = await startRedis(t)
const now = (): number => performance.now()
const quota = (limit: number): Algorithm => ({ kind: 'quota', limit, periodMs: 60_000 })
const bucket = (key: string, limit: number, rest: Partial<Bucket> = {}): Bucket => ({
  key,
  algorithm: quota(limit),
  cost: 1,
  mode: 'strict',
  ...rest,
})

let prefixes = 0
interface Opened {
  redis: RedisConnection
  counters: RedisCounters
  observed: { corrupt: number; fallbacks: string[]; states: boolean[]; failures: unknown[] }
}

/** Of tests whose Redis answers or is gone: a pause of the machine is no time-out. */
const patient = { commandMs: 10_000, connectMs: 10_000 }
/** Of tests whose Redis hangs. */
const impatient = { commandMs: 200, connectMs: 1_000 }

async function open(t: Test, instances = 1, { url = server.url, times = patient } = {}): Promise<Opened> {
  prefixes += 1
  const observed: Opened['observed'] = { corrupt: 0, fallbacks: [], states: [], failures: [] }
  const options = { url, prefix: `f${prefixes}`, ...times }
  const redis = await openRedis(options, 'counters', { onState: ({ up }) => observed.states.push(up) })
  const counters = createRedisCounters({
    redis,
    instances: () => instances,
    monotonic: now,
    onCorrupt: (values) => {
      observed.corrupt += values
    },
    onFallback: (how) => observed.fallbacks.push(how),
    onFailure: (error) => observed.failures.push(error),
  })
  t.teardown(async () => {
    await counters.close()
    await redis.close()
  })
  return { redis, counters, observed }
}

async function until(what: string, holds: () => boolean | Promise<boolean>, ms = 30_000): Promise<number> {
  const began = now()
  while (!(await holds())) {
    if (now() - began > ms) throw new Error(`waited in vain for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return now() - began
}

const isAllowed = async (counters: RedisCounters, one: Bucket): Promise<boolean> =>
  (await counters.take([one], now()))[0]?.allowed === true

/** Asks so many times, every 10 ms, and gives how long each answer took, in order of length. */
async function waits(counters: RedisCounters, mode: CountingMode, times: number): Promise<number[]> {
  const each: Promise<number>[] = []
  while (each.length < times) {
    const began = now()
    const answer = Promise.resolve(counters.take([bucket('wait', 1_000_000, { mode })], began))
    each.push(answer.then(() => now() - began))
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return (await Promise.all(each)).sort((a, b) => a - b)
}

const figures = (sorted: readonly number[]): string =>
  `${sorted.length} taken, p50 ${sorted[sorted.length >> 1]?.toFixed(1)} ms, longest ${sorted.at(-1)?.toFixed(1)} ms`

await t.test(
  'F2 with a Redis that hangs no decision waits longer than 300 ms, and almost none waits at all',
  async (t) => {
    const { counters, redis } = await open(t, 1, { times: impatient })
    t.ok(await isAllowed(counters, bucket('wait', 1_000_000)))
    const stalledMs = watchStalls()
    server.pause()
    const sorted = await waits(counters, 'strict', 400)
    server.resume()
    const back = await until('Redis to be up', () => redis.isUp)
    t.comment(`${figures(sorted)}; up ${back.toFixed(0)} ms after SIGCONT`)
    t.ok((sorted.at(-1) ?? 0) - stalledMs() < 900, 'the longest, with threefold slack')
    t.ok(sorted.filter((ms) => ms > 50).length <= sorted.length / 5, 'the circuit opens after the first time-outs')
    t.ok(back < 9_000, 'recovered within 3 s, with threefold slack')
  },
)

await t.test(
  'F1 a Redis that was killed and starts empty is used again by itself, and its limits start anew',
  async (t) => {
    const { counters, redis, observed } = await open(t)
    for (let i = 0; i < 10; i += 1) t.ok(await isAllowed(counters, bucket('k', 10)))
    t.notOk(await isAllowed(counters, bucket('k', 10)))
    await server.kill()
    await until('the loss to be seen', () => !redis.isUp)
    t.ok(Array.isArray(counters.take([bucket('other', 10)], now())), 'decided at once and here')
    t.same(observed.fallbacks, ['local'])
    await server.start()
    const back = await until('Redis to be up', () => redis.isUp)
    t.comment(`up ${back.toFixed(0)} ms after its start`)
    await until('the refusal to be forgotten', () => isAllowed(counters, bucket('k', 10)))
    t.match(await counters.take([bucket('other', 10)], now()), [{ remaining: 8 }], 'what was let through is charged')
    t.same(observed.states, [true, false, true], 'each change is reported once')
  },
)

await t.test(
  'F31 a share that starts when Redis goes counts what was used before, and is charged when it is back',
  async (t) => {
    const { counters, redis } = await open(t, 3)
    const one = bucket('k', 30)
    for (let i = 0; i < 15; i += 1) t.ok(await isAllowed(counters, one))
    await server.kill()
    await until('the loss to be seen', () => !redis.isUp)
    let allowedLocally = 0
    for (let i = 0; i < 30; i += 1) if (await isAllowed(counters, one)) allowedLocally += 1
    t.equal(allowedLocally, 5, 'a third of the limit, less a third of what was used')
    await server.start()
    await until('Redis to be up', () => redis.isUp)
    t.match(await counters.take([one], now()), [{ allowed: true, remaining: 30 - 5 - 1 }])
  },
)

await t.test('each way to go on without Redis; all buckets of a request or none', async (t) => {
  const { counters, redis, observed } = await open(t, 2)
  const local = bucket('here', 10, { mode: 'local' })
  const left = (): number => {
    const states = counters.peek([local], now())
    return Array.isArray(states) ? (states[0]?.remaining ?? -1) : -1
  }
  t.equal(left(), 5, 'half of the limit for each of two instances')
  t.match(await counters.take([local, bucket('one', 1)], now()), [{ allowed: true }, { allowed: true }])
  const refusedAt = now()
  t.match(await counters.take([local, bucket('one', 1)], refusedAt), [{ allowed: true }, { allowed: false }])
  t.equal(left(), 4, 'a refusal by Redis takes back what was charged here')
  t.ok(Array.isArray(counters.take([local, bucket('one', 1)], refusedAt)), 'which is then remembered')
  t.equal(left(), 4)
  await server.kill()
  await until('the loss to be seen', () => !redis.isUp)
  const pass = bucket('p', 1, { onDown: 'pass' })
  t.match(counters.take([pass, local], now()), [{ allowed: true }, { allowed: true, remaining: 3 }])
  t.match(counters.take([pass, local], now()), [{ allowed: true }, { allowed: true }])
  const before = left()
  const refuse = bucket('r', 10, { onDown: 'refuse' })
  t.throws(() => counters.take([local, pass, refuse], now()), new CountersUnavailable())
  t.throws(() => counters.peek([local, refuse], now()), new CountersUnavailable())
  t.equal(left(), before, 'nothing is charged for it')
  t.match(counters.take([bucket('two', 2), local], now()), [{ allowed: true }, { allowed: true }])
  t.match(counters.take([bucket('two', 2), local], now()), [{ allowed: false }, { allowed: true }])
  t.equal(left(), before - 1)
  t.ok(
    observed.fallbacks.includes('pass') &&
      observed.fallbacks.includes('refuse') &&
      observed.fallbacks.includes('local'),
  )
  await server.start()
  await until('Redis to be up', () => redis.isUp)
})

await t.test('F6 a Redis without memory decides nothing and stays connected', async (t) => {
  const { counters, redis, observed } = await open(t)
  t.ok(await isAllowed(counters, bucket('k', 10)))
  await server.command('config', 'set', 'maxmemory', '1')
  await t.rejects(async () => counters.take([bucket('k', 10, { onDown: 'refuse' })], now()), new CountersUnavailable())
  t.ok(await isAllowed(counters, bucket('k', 10)), 'counted here')
  t.same(observed.fallbacks, ['refuse', 'local'])
  t.match(observed.failures, [{ reason: 'OOM' }], 'reported, and not each time')
  await server.command('config', 'set', 'maxmemory', '0')
  t.match(await counters.take([bucket('k', 10)], now()), [{ allowed: true, remaining: 7 }])
  t.same(observed.states, [true])
  t.ok(redis.isUp)
})

await t.test('F7 a value that is not ours counts as empty, is reported and is written anew', async (t) => {
  const pack = (values: string) => ['eval', `redis.call('set', KEYS[1], cmsgpack.pack({${values}}))`, '1', 'KEY']
  const bad: (readonly string[])[] = [
    ['lpush', 'KEY', 'x'],
    ['set', 'KEY', 'x'],
    ['set', 'KEY', ''],
    pack("'q', 10, 60000, 1, 5, 1e300"),
    pack("'r', 10, 60000, 5, -1, 'x'"),
    pack("'r', 10, 60000, 5, 1, 9007199254740992"),
    pack("'q', 10, 60000, 1, 99999999999, 3"),
    pack("'x', 10, 60000, 1"),
    ['set', 'CLOCK', 'noon'],
    ['lpush', 'CLOCK', 'x'],
  ]
  for (const words of bad) {
    const { counters, redis, observed } = await open(t)
    const [key, clock] = [`{${redis.prefix}}:k`, `{${redis.prefix}}:clock`]
    await server.command(...words.map((word) => (word === 'KEY' ? key : word === 'CLOCK' ? clock : word)))
    t.match(await counters.take([bucket('k', 2)], now()), [{ allowed: true, remaining: 1 }], words.join(' '))
    t.equal(observed.corrupt, 1)
    t.match(await counters.take([bucket('k', 2)], now()), [{ allowed: true, remaining: 0 }])
    t.notOk(await isAllowed(counters, bucket('k', 2)), 'not without a limit')
    t.equal(observed.corrupt, 1, 'reported once')
  }
})

await t.test('F5 a server whose clock is behind goes on from the time last seen', async (t) => {
  const { counters, redis } = await open(t)
  const hourAhead = (Date.now() + 3_600_000) * 1_000
  await server.command('set', `{${redis.prefix}}:clock`, `${hourAhead} 0`)
  const fast: Bucket = { ...bucket('r', 1), algorithm: { kind: 'rate', limit: 4, periodMs: 1_000, burst: 1 } }
  const both = await Promise.all([isAllowed(counters, fast), isAllowed(counters, fast)])
  t.equal(both.filter(Boolean).length, 1, 'one of two at once')
  await until('a unit to leak although the clock is an hour behind', () => isAllowed(counters, fast))
  const [last, behind] = (await server.command('get', `{${redis.prefix}}:clock`)).split(' ').map(Number)
  t.ok((last ?? 0) >= hourAhead && (behind ?? 0) > 3_500_000_000)
})

await t.test('a flood of refused requests does not reach Redis', async (t) => {
  const { counters } = await open(t)
  await isAllowed(counters, bucket('k', 1))
  // All at the time of the refusal, which is remembered for a second.
  const refusedAt = now()
  t.match(await counters.take([bucket('k', 1)], refusedAt), [{ allowed: false }])
  const calls = async () =>
    Number(/cmdstat_evalsha:calls=(\d+)/.exec(await server.command('info', 'commandstats'))?.[1])
  const before = await calls()
  for (let i = 0; i < 20_000; i += 1) void counters.take([bucket('k', 1)], refusedAt)
  t.ok((await calls()) - before <= 3, `${(await calls()) - before} of 20,000`)
})

t.test('F3 a slow Redis: strict decisions wait for it or are made here, leased ones do not wait', async (t) => {
  let delayMs = 0
  const relay = createServer((client) => {
    const upstream = connectSocket(server.port, '127.0.0.1')
    const later = (work: () => void): void => void setTimeout(work, delayMs)
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      from.on('data', (chunk) => later(() => to.write(chunk)))
      from.on('close', () => later(() => to.destroy()))
      from.on('error', () => undefined)
    }
  })
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve))
  t.teardown(() => relay.close())
  const { port } = relay.address() as { port: number }
  const { counters, redis } = await open(t, 1, { url: `redis://127.0.0.1:${port}`, times: impatient })
  delayMs = 60
  const leased = await waits(counters, 'leased', 150)
  t.comment(`60 ms each way, leased: ${figures(leased)}`)
  t.ok((leased[leased.length >> 1] ?? 99) < 20, 'most decisions are made on a lease')
  delayMs = 150
  const stalledMs = watchStalls()
  const strict = await waits(counters, 'strict', 250)
  t.comment(`150 ms each way, strict: ${figures(strict)}`)
  t.ok((strict.at(-1) ?? 0) - stalledMs() < 900)
  const connections = (await server.command('client', 'list')).split('\n').filter((line) => line.includes(redis.prefix))
  t.ok(connections.length <= 3, `${connections.length} connections`)
  delayMs = 0
  await until('Redis to be up', () => redis.isUp)
})
