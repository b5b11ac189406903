// F5: the primary of a Sentinel group is cut off from its replica, takes writes that the replica never hears of, and is
// killed; the replica takes over.

import { equal, ok } from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { startCluster } from '../../support/cluster/cluster.js'
import { type LedgerToken, whileRevoking } from '../../support/cluster/token-ledger.js'
import { startSentinelGroup } from '../../support/databases/redis-groups.js'
import { until } from '../../support/traffic/until.js'
import { statuses } from '../scene/measure.js'
import { managed, newCast, newToken } from '../scene/provision.js'
import { openScene } from '../scene/scene.js'
import { type FaultStory, plainCluster } from '../story.js'

export const redisFailover: FaultStory = {
  name: 'redis-failover',
  faults: ['F5'],
  expected:
    'acknowledged revocations that the replica never heard of stay effective; no 5xx; counting goes on with the new primary within 3 s of its election',
  cluster: { ...plainCluster, started: false },
  ownCluster: true,
  async run(outer) {
    const works: (() => unknown)[] = []
    const t = { teardown: (work: () => unknown) => void works.unshift(work) }
    try {
      const group = await startSentinelGroup(t)
      const cluster = await startCluster(t, { redisUrl: group.url })
      const scene = openScene(cluster, outer.full)
      const [first] = cluster.instances
      const { application, next } = await newCast(cluster.instances)
      if (first === undefined) throw new Error('no instance')
      const traffic = scene.traffic({ targets: scene.direct, perSecond: 60, next })
      await wait(1_000)
      group.replica.pause()
      const revoked: LedgerToken[] = []
      for (let at = 0; at < 10; at += 1) {
        const token = await newToken(first.port, application)
        await whileRevoking([token], () => managed(first, 'POST', '/revocations', { what: 'token', token: token.text }))
        revoked.push(token)
      }
      await group.primary.kill()
      group.replica.resume()
      const oldPort = group.primary.port
      const electedMs = await until('another primary', async () => (await group.primaryPort()) !== oldPort, 90_000)
      const counted = async () => Number((await group.replica.command('client', 'list')).split('\n').length)
      const recoveryMs = await until('every instance is connected to it', async () => (await counted()) >= 6, 15_000)
      ok(recoveryMs < 9_000, `it took ${recoveryMs.toFixed(0)} ms`)
      for (const token of revoked)
        for (const target of scene.direct) equal((await scene.probe(target, token)).status, 401)
      await traffic.stop()
      const violations = (await scene.finish()).flatMap((judgement) => judgement.violations)
      equal(violations.length, 0, violations[0])
      return {
        text: `elected after ${(electedMs / 1000).toFixed(1)} s; ${revoked.length} revocations stayed; ${statuses(traffic.exchanges)}`,
        recoveryMs,
      }
    } finally {
      for (const work of works) await work()
    }
  },
}
