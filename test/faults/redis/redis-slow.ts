// F3: every byte to and from Redis takes 150 ms more.

import { ok } from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { startControl } from '../scene/control.js'
import { percentile, statuses } from '../scene/measure.js'
import { newCast } from '../scene/provision.js'
import { type FaultStory, proxiedCluster } from '../story.js'

export const redisSlow: FaultStory = {
  name: 'redis-slow',
  faults: ['F3'],
  expected:
    'no request waits more than 300 ms for it (asserted threefold), no 5xx, no more connections to Redis than before',
  cluster: proxiedCluster,
  async run(scene) {
    const { cluster, full } = scene
    const { next } = await newCast(cluster.instances)
    const connections = () => cluster.instances.map(({ redis }) => redis?.connections ?? 0)
    const before = connections()
    const slow = { latencyMs: 150, jitterMs: 20 }
    await Promise.all(cluster.instances.map(({ redis }) => redis?.set({ toTarget: slow, toClient: slow })))
    const path = (turn: number) => (turn % 10 === 0 ? '/api/v2/leased/1' : '/api/v2/check/1')
    const control = startControl(cluster.instances)
    const fromMs = performance.now()
    const traffic = scene.traffic({ targets: scene.direct, perSecond: 90, next, path })
    await wait(full ? 15_000 : 3_000)
    const during = connections()
    await Promise.all(cluster.instances.map(({ redis }) => redis?.heal()))
    await wait(1_000)
    await traffic.stop()
    control.stop()
    const excess = control.excess(traffic.exchanges, fromMs, performance.now())
    const p99 = percentile(
      traffic.exchanges.map(({ sentMs, endedMs }) => endedMs - sentMs),
      0.99,
    )
    ok(excess.ms < 900, excess.text)
    for (const [at, count] of during.entries())
      ok(count <= (before[at] ?? 0) + 2, `${before} connections became ${during}`)
    return {
      text: `${statuses(traffic.exchanges)}; p99 ${p99.toFixed(0)} ms, at most ${excess.ms.toFixed(0)} ms more than the machine's own; connections ${before} then ${during}`,
    }
  },
}
