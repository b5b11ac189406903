// The master of a Sentinel group is killed under load; the replica is promoted, and the old master comes back.

import { equal } from 'node:assert/strict'
import { startSentinelGroup } from '../../support/databases/redis-groups.js'
import { until } from '../../support/traffic/until.js'
import { type FaultStory, plainCluster } from '../story.js'
import { onOwnCluster } from './own-cluster.js'
import { underLoad } from './under-load.js'

export const sentinelFailover: FaultStory = {
  name: 'sentinel-failover',
  faults: ['F5'],
  expected:
    'at 500 requests a second: no 5xx, nothing acknowledged is lost, at most half as much again of a strict limit; the old master that comes back is not used',
  cluster: { ...plainCluster, started: false },
  ownCluster: true,
  run: (outer) => {
    let group: Awaited<ReturnType<typeof startSentinelGroup>>
    return onOwnCluster(
      outer.full,
      async (t) => {
        group = await startSentinelGroup(t)
        return { redisUrl: group.url }
      },
      async (scene, cluster) => {
        const clientsOf = async (port: 'primary' | 'replica') =>
          (await group[port].command('client', 'list')).split('\n').filter((line) => line.includes('name=portcullis'))
            .length
        let electedMs = 0
        let connectedMs = 0
        const survived = await underLoad(scene, {
          query: (sql) => cluster.postgres.admin(sql),
          mayFail: [],
          async provoke() {
            const old = group.primary.port
            await group.primary.kill()
            electedMs = await until('another master', async () => (await group.primaryPort()) !== old, 90_000)
            connectedMs = await until('all are connected to it', async () => (await clientsOf('replica')) >= 9)
          },
          async comeBack() {
            // It takes itself for the master until the Sentinel tells it.
            await group.primary.start()
            await until(
              'the old one follows',
              async () => {
                equal(await clientsOf('primary'), 0, 'nobody uses the former master')
                return /role:slave/.test(await group.primary.command('info', 'replication'))
              },
              90_000,
            )
          },
        })
        return {
          text: `elected after ${(electedMs / 1000).toFixed(1)} s, all connected ${(connectedMs / 1000).toFixed(2)} s later; ${survived.text}`,
          recoveryMs: electedMs + connectedMs,
        }
      },
    )
  },
}
