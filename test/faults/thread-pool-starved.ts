// F35: libuv's thread pool is busy for seconds with slow hashes.

import { ok } from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { percentile, statuses } from './measure.js'
import { newCast } from './provision.js'
import { type FaultStory, plainCluster } from './story.js'

export const threadPoolStarved: FaultStory = {
  name: 'thread-pool-starved',
  faults: ['F35'],
  expected:
    'verifying and proxying do not wait for the pool: no 5xx and the median stays below 100 ms (the processor is shared with the hashes)',
  cluster: plainCluster,
  async run(scene) {
    const { instances } = scene.cluster
    const victim = instances[1]
    if (victim === undefined) throw new Error('too few instances')
    const { next } = await newCast(instances)
    const traffic = scene.traffic({ targets: [{ via: victim.name, port: victim.port }], perSecond: 40, next })
    await wait(500)
    const fromMs = performance.now()
    victim.hook({ do: 'starve', jobs: 64 })
    await wait(2_500)
    const toMs = performance.now()
    await wait(2_000)
    await traffic.stop()
    const during = traffic.exchanges
      .filter(({ sentMs }) => sentMs > fromMs && sentMs < toMs)
      .map((one) => one.endedMs - one.sentMs)
    const p50 = percentile(during, 0.5)
    ok(p50 < 300, `the median was ${p50.toFixed(0)} ms`)
    return {
      text: `${statuses(traffic.exchanges)}; meanwhile p50 ${p50.toFixed(0)} p99 ${percentile(during, 0.99).toFixed(0)} ms`,
    }
  },
}
