// F31 and the fifth line: three instances count one limit together, each way of sharing it, and each for itself when
// Redis is gone.

import { equal, ok } from 'node:assert/strict'
import { exchange, keptAlive } from '../support/checking-client.js'
import { checkedQuota } from '../support/cluster-configuration.js'
import type { Instance } from '../support/cluster-instance.js'
import { newApplication, newTenant, newToken } from './provision.js'
import type { Scene } from './scene.js'
import { type FaultStory, proxiedCluster } from './story.js'

/** Leases lie unused in the instances that asked for them: this share of the limit may be left over. */
const leftOverShare = 0.5

export const limitsTogether: FaultStory = {
  name: 'limits-together',
  faults: ['F31'],
  expected: `of a quota of ${checkedQuota}: strict lets exactly ${checkedQuota} through, leased never more, and with Redis gone three instances together at most half as many again`,
  cluster: proxiedCluster,
  async run(scene) {
    const { redis } = scene.cluster
    const strict = await flood(scene, 'strict')
    equal(strict, checkedQuota, 'strict is exact')
    const leased = await flood(scene, 'leased')
    ok(leased <= checkedQuota, `leased let ${leased} through`)
    ok(leased >= checkedQuota * leftOverShare, `leased let only ${leased} through`)
    const local = await flood(scene, 'local')
    ok(local <= checkedQuota * 1.5, `local let ${local} through`)
    await redis.kill()
    const without: string[] = []
    for (const mode of ['strict', 'leased'] as const) {
      const passed = await flood(scene, mode)
      ok(passed <= checkedQuota * 1.5, `${mode} without Redis let ${passed} through`)
      without.push(`${mode} ${passed}`)
    }
    await redis.start()
    return {
      text: `of ${checkedQuota}: strict ${strict}, leased ${leased}, local ${local}; with Redis gone ${without.join(', ')}`,
    }
  },
}

/** Sends twice the quota from one new application, evenly to all instances, and counts what passed. Never a 5xx. */
async function flood(scene: Scene, mode: 'strict' | 'leased' | 'local'): Promise<number> {
  const instance = scene.cluster.instances[0] as Instance
  const token = await newToken(instance.port, await newApplication(instance, await newTenant(instance)))
  const path = `/api/v2/${mode}/1`
  let left = checkedQuota * 2
  let passed = 0
  const worker = async (at: number): Promise<void> => {
    const target = scene.direct[at % scene.direct.length]
    if (target === undefined) return
    const agent = keptAlive(1)
    while (left > 0) {
      left -= 1
      const sent = await exchange({ target, token, path, agent })
      const { status } = sent
      if (status === 200) scene.note([sent])
      if (status === 200) passed += 1
      else equal(status, 429, `${mode} at ${target.via}`)
    }
    agent.destroy()
  }
  await Promise.all(Array.from({ length: 6 }, (_, at) => worker(at)))
  return passed
}
