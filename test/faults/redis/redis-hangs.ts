// F2: Redis hangs: its connections stay open and nothing is answered. Nobody may wait for it for long.

import { ok } from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { startControl } from '../scene/control.js'
import { longestMs, percentile, statuses } from '../scene/measure.js'
import { newCast } from '../scene/provision.js'
import { type FaultStory, proxiedCluster } from '../story.js'

/** 300 ms, threefold because the machine may be busy. */
const mostMs = 900

export const redisHangs: FaultStory = {
  name: 'redis-hangs',
  faults: ['F2'],
  expected: 'no request waits more than 300 ms for it (asserted threefold), limits with a strict mode included; no 5xx',
  cluster: proxiedCluster,
  async run(scene) {
    const { cluster, full } = scene
    const { next } = await newCast(cluster.instances)
    const paths = ['/api/v2/check/1', '/api/v2/strict/1', '/api/v2/leased/1']
    // Few on the limited routes: their limits are not what this is about.
    const path = (turn: number) => (turn % 10 === 0 ? paths[1 + ((turn / 10) % 2)] : paths[0]) ?? ''
    const control = startControl(cluster.instances)
    const traffic = scene.traffic({ targets: scene.direct, perSecond: 90, next, path })
    await wait(500)
    cluster.redis.pause()
    const fromMs = performance.now()
    await wait(full ? 20_000 : 3_000)
    const toMs = performance.now()
    cluster.redis.resume()
    await wait(1_500)
    await traffic.stop()
    control.stop()
    const slowestMs = longestMs(traffic.exchanges, fromMs, toMs)
    const times = traffic.exchanges
      .filter(({ sentMs }) => sentMs > fromMs && sentMs < toMs)
      .map((one) => one.endedMs - one.sentMs)
    const excess = control.excess(traffic.exchanges, fromMs, toMs)
    ok(excess.ms < mostMs, excess.text)
    const text = `${statuses(traffic.exchanges)}; while it hung p99 ${percentile(times, 0.99).toFixed(0)} max ${slowestMs.toFixed(0)} ms, ${excess.ms.toFixed(0)} of it not the machine's`
    return { text }
  },
}
