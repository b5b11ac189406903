// Counters behind a Sentinel and on a Cluster, as they are used: all buckets of a request in one call.

import t, { type Test } from 'tap'
import type { Algorithm, Bucket } from '../../src/memory/counters/counters.js'
import { createRedisCounters, type RedisCounters } from '../../src/memory/counters/redis-counters.js'
import { openRedis, type RedisConnection } from '../../src/memory/redis/connection.js'
import { startRedisCluster, startSentinelGroup } from '../support/redis-groups.js'

const now = (): number => performance.now()
const quota: Algorithm = { kind: 'quota', limit: 50, periodMs: 60_000 }
const bucket = (key: string, mode: 'strict' | 'leased' = 'strict'): Bucket => ({
  key,
  algorithm: quota,
  cost: 1,
  mode,
  onDown: 'refuse',
})

/** How far a server has written or followed. */
const offset = (info: string): number => Number(/^(?:slave|master)_repl_offset:(\d+)/m.exec(info)?.[1])

async function open(t: Test, url: string): Promise<{ redis: RedisConnection; counters: RedisCounters }> {
  const redis = await openRedis({ url, prefix: 'g', commandMs: 200, connectMs: 1_000 }, 'counters')
  const counters = createRedisCounters({ redis, instances: () => 1, monotonic: now })
  t.teardown(async () => {
    await counters.close()
    await redis.close()
  })
  return { redis, counters }
}

await t.test('F5 behind a Sentinel the replica takes over with what it had, and is used within seconds', async (t) => {
  const group = await startSentinelGroup(t)
  const { redis, counters } = await open(t, group.url)
  for (let i = 0; i < 20; i += 1) t.match(await counters.take([bucket('k')], now()), [{ remaining: 49 - i }])
  const written = offset(await group.primary.command('info', 'replication'))
  for (const end = now() + 5_000; offset(await group.replica.command('info', 'replication')) < written; ) {
    if (now() > end) throw new Error('the replica does not follow')
  }
  const killed = now()
  await group.primary.kill()
  let longest = 0
  let remaining = -1
  for (const end = killed + 15_000; remaining < 0 && now() < end; ) {
    const began = now()
    const states = await (async () => counters.take([bucket('k')], began))().catch(() => undefined)
    longest = Math.max(longest, now() - began)
    remaining = states?.[0]?.remaining ?? -1
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  const recovered = now()
  t.equal(await group.primaryPort(), group.replica.port)
  t.comment(`decided again ${(recovered - killed).toFixed(0)} ms after the kill; longest wait ${longest.toFixed(1)} ms`)
  t.ok(longest < 900, 'no decision waited')
  t.ok(redis.isUp && remaining <= 30, 'what was replicated still counts')
})

t.test('on a Cluster all buckets of a request are decided in one slot, and single uses are spread', async (t) => {
  const cluster = await startRedisCluster(t)
  const { redis, counters } = await open(t, cluster.url)
  for (let i = 0; i < 30; i += 1) {
    const states = await counters.take(
      [bucket('limit:1:a;t1:x'), bucket(`limit:1:b;p2:${i}`), bucket('c', 'leased')],
      now(),
    )
    t.match(states, [{ allowed: true, remaining: 49 - i }, { allowed: true, remaining: 49 }, { allowed: true }])
  }
  for (let i = 0; i < 30; i += 1) {
    t.equal(await counters.firstUse(`once;t;j2:${i}`, 10_000, now()), true)
    t.equal(await counters.firstUse(`once;t;j2:${i}`, 10_000, now()), false)
  }
  const keys = await Promise.all(cluster.nodes.map(async (node) => Number(await node.command('dbsize'))))
  t.comment(`keys on the masters: ${keys.join(', ')}`)
  t.ok(keys.every((count) => count > 0))
  const slot = Number(await cluster.nodes[0]?.command('cluster', 'keyslot', '{g}:clock'))
  const ours = cluster.nodes[slot < 5461 ? 0 : slot < 10_923 ? 1 : 2]
  const other = cluster.nodes.find((node) => node !== ours)
  await other?.kill()
  t.match(await counters.take([bucket('limit:1:a;t1:x')], now()), [{ allowed: true }], 'another master is not missed')
  ours?.pause()
  const began = now()
  await t.rejects(async () => counters.take([bucket('limit:1:a;t1:x')], now()), { code: 'counters_unavailable' })
  t.ok(now() - began < 900)
  ours?.resume()
  for (const end = now() + 9_000; !redis.isUp; ) {
    if (now() > end) throw new Error('the Cluster is not used again')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
})
