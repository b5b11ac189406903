// Counters behind a Sentinel and on a Cluster, as they are used: all buckets of a request in one call.
// full: several Redis servers
// run: apart

import t, { type Test } from 'tap'
import type { Algorithm, Bucket, BucketState } from '../../../src/storage/counters/counters.js'
import { createRedisCounters, type RedisCounters } from '../../../src/storage/counters/redis-counters.js'
import { openRedis, type RedisConnection } from '../../../src/storage/redis/connection.js'
import { startRedisCluster, startSentinelGroup } from '../../support/databases/redis-groups.js'
import { watchStalls } from '../../support/traffic/stalls.js'
import { until } from '../../support/traffic/until.js'

const now = (): number => performance.now()
const quota: Algorithm = { kind: 'quota', limit: 50, periodMs: 60_000 }
const bucket = (key: string, mode: 'strict' | 'leased' = 'strict'): Bucket => ({
  key,
  algorithm: quota,
  cost: 1,
  mode,
  onDown: 'refuse',
})

const impatient = { commandMs: 200, connectMs: 1_000 }

/** How far a server has written or followed. */
const offset = (info: string): number => Number(/^(?:slave|master)_repl_offset:(\d+)/m.exec(info)?.[1])

interface Opened {
  redis: RedisConnection
  counters: RedisCounters
}

/** While all is well a pause of the machine is no time-out: more patience than where a server dies or hangs. */
async function open(t: Test, url: string, times = { commandMs: 10_000, connectMs: 10_000 }): Promise<Opened> {
  const redis = await openRedis({ url, prefix: 'g', ...times }, 'counters')
  const counters = createRedisCounters({ redis, instances: () => 1, monotonic: now })
  t.teardown(async () => {
    await counters.close()
    await redis.close()
  })
  return { redis, counters }
}

/** One decision; nothing while none can be made. */
async function attempt(counters: RedisCounters, key: string): Promise<BucketState | undefined> {
  try {
    return (await counters.take([bucket(key)], now()))[0]
  } catch {
    return undefined
  }
}

/** As an instance has counted before something happens. */
async function used({ counters }: Opened): Promise<void> {
  await until('a first decision', async () => (await attempt(counters, 'limit:1:a;t1:first')) !== undefined)
}

await t.test('F5 behind a Sentinel the replica takes over with what it had, and is used within seconds', async (t) => {
  const group = await startSentinelGroup(t)
  const { redis, counters } = await open(t, group.url, impatient)
  const before = await open(t, group.url)
  await used({ redis, counters })
  for (let i = 0; i < 20; i += 1) t.match(await before.counters.take([bucket('k')], now()), [{ remaining: 49 - i }])
  const written = offset(await group.primary.command('info', 'replication'))
  await until('the replica follows', async () => offset(await group.replica.command('info', 'replication')) >= written)
  const killed = now()
  const stalledMs = watchStalls()
  await group.primary.kill()
  let longest = 0
  let remaining = -1
  for (const end = killed + 90_000; remaining < 0 && now() < end; ) {
    const began = now()
    const state = await attempt(counters, 'k')
    longest = Math.max(longest, now() - began)
    remaining = state?.remaining ?? -1
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  const recovered = now()
  t.equal(await group.primaryPort(), group.replica.port)
  t.comment(`decided again ${(recovered - killed).toFixed(0)} ms after the kill; longest wait ${longest.toFixed(1)} ms`)
  t.ok(longest - stalledMs() < 900, 'no decision waited')
  t.ok(redis.isUp && remaining <= 30, 'what was replicated still counts')
})

t.test('on a Cluster all buckets of a request are decided in one slot', async (t) => {
  const cluster = await startRedisCluster(t)
  const { counters } = await open(t, cluster.url)
  const late = await open(t, cluster.url, impatient)
  for (let i = 0; i < 30; i += 1) {
    const states = await counters.take(
      [bucket('limit:1:a;t1:x'), bucket(`limit:1:b;p2:${i}`), bucket('c', 'leased')],
      now(),
    )
    t.match(states, [{ allowed: true, remaining: 49 - i }, { allowed: true, remaining: 49 }, { allowed: true }])
  }
  const keys = await Promise.all(cluster.nodes.map(async (node) => Number(await node.command('dbsize'))))
  t.comment(`keys on the masters: ${keys.join(', ')}`)
  t.same(keys.filter((count) => count > 0).length, 1)
  const slot = Number(await cluster.nodes[0]?.command('cluster', 'keyslot', '{g}:clock'))
  const ours = cluster.nodes[slot < 5461 ? 0 : slot < 10_923 ? 1 : 2]
  const other = cluster.nodes.find((node) => node !== ours)
  await other?.kill()
  t.match(await counters.take([bucket('limit:1:a;t1:x')], now()), [{ allowed: true }], 'another master is not missed')
  await used(late)
  ours?.pause()
  const stalledMs = watchStalls()
  const began = now()
  await t.rejects(async () => late.counters.take([bucket('limit:1:a;t1:x')], now()), { code: 'counters_unavailable' })
  const waited = now() - began
  t.ok(waited - stalledMs() < 900)
  ours?.resume()
  await until('the Cluster is used again', () => late.redis.isUp)
})
