// What a strict limit does while Redis is killed, hangs, or is slower than anybody waits for, each way
// that its onDown can say it.

import { equal, ok } from 'node:assert/strict'
import { smallQuota } from '../../support/cluster/cluster-configuration.js'
import type { Exchange } from '../../support/cluster/token-ledger.js'
import { until } from '../../support/traffic/until.js'
import { type Control, startControl } from '../scene/control.js'
import { type Flooded, flood } from '../scene/flood.js'
import { sumOfMetric } from '../scene/measure.js'
import type { Scene } from '../scene/scene.js'
import { type FaultStory, proxiedCluster } from '../story.js'

/** `redis.command`, threefold because the machine may be busy. */
const mostMs = 600

interface Away {
  name: string
  begin(): Promise<unknown> | unknown
  end(): Promise<unknown> | unknown
  /** What each instance's part may be over: an answer that came late decides for all. */
  share: number
}

export const limitsOnDown: FaultStory = {
  name: 'limits-on-down',
  faults: ['F1', 'F2', 'F3'],
  expected: `with Redis killed, stopped and slow: local gives each instance its part of ${smallQuota}, refuse is 503 with Retry-After, pass passes and is counted; nobody waits longer than redis.command (asserted threefold)`,
  cluster: proxiedCluster,
  async run(scene) {
    const { cluster } = scene
    const { redis, instances } = cluster
    const slow = { latencyMs: 150 }
    const proxies = instances.flatMap((instance) => instance.redis ?? [])
    const ways: Away[] = [
      { name: 'killed', begin: () => redis.kill(), end: () => redis.start(), share: 1 },
      { name: 'stopped', begin: () => redis.pause(), end: () => redis.resume(), share: 1 },
      {
        name: 'slow',
        begin: () => Promise.all(proxies.map((proxy) => proxy.set({ toTarget: slow, toClient: slow }))),
        end: () => Promise.all(proxies.map((proxy) => proxy.heal())),
        share: 1.5,
      },
    ]
    const control = startControl(instances)
    const outcomes: string[] = []
    for (const way of ways) {
      await until(
        'Redis is there for all',
        async () => (await sumOfMetric(instances, 'portcullis_redis_up', 'use="counters"')) === 3,
      )
      outcomes.push(await whileAway(scene, way, control))
    }
    control.stop()
    return { text: outcomes.join('; ') }
  },
}

async function whileAway(scene: Scene, way: Away, control: Control): Promise<string> {
  const { instances } = scene.cluster
  const fromMs = performance.now()
  await way.begin()
  const requests = smallQuota * 2
  const local = await flood(scene, { name: 'down-local', requests, expected: [200, 429] })
  const refuse = await flood(scene, { name: 'down-refuse', requests, expected: [503] })
  const counted = () => sumOfMetric(instances, 'portcullis_limit_on_down_total', 'answer="pass"')
  const before = await counted()
  const pass = await flood(scene, { name: 'down-pass', requests, expected: [200] })
  const more = (await counted()) - before
  const all = [local, refuse, pass].flatMap(({ exchanges }: Flooded): readonly Exchange[] => exchanges)
  const excess = control.excess(all, fromMs, performance.now())
  await way.end()
  ok(local.passed >= smallQuota && local.passed <= smallQuota * way.share, `${way.name}: local ${local.passed}`)
  equal(pass.passed, requests, `${way.name}: pass`)
  equal(more, requests, `${way.name}: counted as passed`)
  ok(excess.ms < mostMs, `${way.name}: ${excess.text}`)
  return `${way.name}: local ${local.passed} of ${smallQuota}, refuse ${refuse.sent} × 503, pass ${pass.passed} of ${requests}, longest ${excess.ms.toFixed(0)} ms`
}
