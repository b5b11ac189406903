// The master of a Redis Cluster that has the counters and the stream is killed under load; its replica is elected.

import { equal } from 'node:assert/strict'
import { type RedisCluster, startRedisCluster } from '../../support/databases/redis-groups.js'
import { until } from '../../support/traffic/until.js'
import { type FaultStory, plainCluster } from '../story.js'
import { onOwnCluster } from './own-cluster.js'
import { underLoad } from './under-load.js'

export const clusterFailover: FaultStory = {
  name: 'cluster-failover',
  faults: ['F5'],
  expected:
    'at 500 requests a second: no 5xx, nothing acknowledged is lost, at most half as much again of a strict limit; the old master that comes back follows',
  cluster: { ...plainCluster, started: false },
  ownCluster: true,
  run: (outer) => {
    let group: RedisCluster
    return onOwnCluster(
      outer.full,
      async (t) => {
        group = await startRedisCluster(t, { withReplicas: true })
        return { redisUrl: group.url }
      },
      async (scene, cluster) => {
        const slot = Number(await group.nodes[0]?.command('cluster', 'keyslot', '{portcullis}:clock'))
        const at = slot < 5_461 ? 0 : slot < 10_923 ? 1 : 2
        const [master, replica] = [group.nodes[at], group.replicas[at]]
        if (master === undefined || replica === undefined) throw new Error('no such master')
        let electedMs = 0
        let usedMs = 0
        const survived = await underLoad(scene, {
          query: (sql) => cluster.postgres.admin(sql),
          mayFail: [],
          async provoke() {
            await master.kill()
            electedMs = await until(
              'the replica is elected',
              async () => /role:master/.test(await replica.command('info', 'replication')),
              90_000,
            )
            const calls = async () =>
              Number(/cmdstat_evalsha:calls=(\d+)/.exec(await replica.command('info', 'commandstats'))?.[1] ?? 0)
            usedMs = await until('it decides limits', async () => (await calls()) > 0)
          },
          async comeBack() {
            await master.start()
            await until(
              'the old one follows',
              async () => /role:slave/.test(await master.command('info', 'replication')),
              90_000,
            )
            equal((await replica.command('info', 'replication')).includes('role:master'), true)
          },
        })
        return {
          text: `elected after ${(electedMs / 1000).toFixed(1)} s, used ${(usedMs / 1000).toFixed(2)} s later; ${survived.text}`,
          recoveryMs: electedMs + usedMs,
        }
      },
    )
  },
}
