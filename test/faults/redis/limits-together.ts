// F31: three instances count one limit together, each way of sharing it, and each for itself when
// Redis is gone.

import { equal, ok } from 'node:assert/strict'
import { checkedQuota, paced } from '../../support/cluster/cluster-configuration.js'
import { watchStalls } from '../../support/traffic/stalls.js'
import { flood } from '../scene/flood.js'
import { sumOfMetric } from '../scene/measure.js'
import type { Scene } from '../scene/scene.js'
import { type FaultStory, proxiedCluster } from '../story.js'

const instances = 3
/** Decision 45: so much of a quota may lie in leases, two in each instance. */
const leasedQuota = 2 * instances * Math.floor(checkedQuota / (16 * instances))
const pacedMs = 2_000

export const limitsTogether: FaultStory = {
  name: 'limits-together',
  faults: ['F31'],
  expected: `of a quota of ${checkedQuota}: strict lets exactly ${checkedQuota} through, leased ${checkedQuota - leasedQuota} at least and never more; of a rate leased never more than its burst and what leaks; and with Redis gone three instances together at most half as many again`,
  cluster: proxiedCluster,
  async run(scene) {
    const { redis } = scene.cluster
    const strict = await undisturbed(scene, () => quota(scene, 'strict'))
    equal(strict, checkedQuota, 'strict is exact')
    const leased = await undisturbed(scene, () => quota(scene, 'leased'))
    ok(leased <= checkedQuota, `leased let ${leased} through`)
    ok(leased >= checkedQuota - leasedQuota, `leased let only ${leased} through`)
    const rate = await leasedRate(scene)
    const local = await quota(scene, 'local')
    ok(local <= checkedQuota * 1.5, `local let ${local} through`)
    await redis.kill()
    const without: string[] = []
    for (const mode of ['strict', 'leased'] as const) {
      const passed = await quota(scene, mode)
      ok(passed <= checkedQuota * 1.5, `${mode} without Redis let ${passed} through`)
      without.push(`${mode} ${passed}`)
    }
    await redis.start()
    return {
      text: `of ${checkedQuota}: strict ${strict}, leased ${leased} (bound ${checkedQuota - leasedQuota}), local ${local}; ${rate}; with Redis gone ${without.join(', ')}`,
    }
  },
}

/**
 * Of the first time that Redis answered for everybody: where the machine stands still for longer than `redis.command`,
 * an answer comes late, and what an instance decides without it is charged afterwards.
 */
async function undisturbed<R>(scene: Scene, run: () => Promise<R>): Promise<R> {
  const late = () => sumOfMetric(scene.cluster.instances, 'portcullis_limit_on_down_total', 'answer="local"')
  const counts: number[] = []
  while (counts.length < 4) {
    const before = await late()
    const result = await run()
    counts.push((await late()) - before)
    if (counts.at(-1) === 0) return result
  }
  throw new Error(`Redis was late for ${counts.join(', ')} requests`)
}

/** Twice the quota; how many passed. */
async function quota(scene: Scene, name: 'strict' | 'leased' | 'local'): Promise<number> {
  const { passed } = await flood(scene, { name, requests: checkedQuota * 2, expected: [200, 429] })
  return passed
}

/** As fast as it goes for a while, so that there is never nobody who asks. */
async function leasedRate(scene: Scene): Promise<string> {
  const stalledMs = watchStalls()
  const { passed, sent, elapsedMs } = await undisturbed(scene, () =>
    flood(scene, { name: 'paced', forMs: pacedMs, expected: [200, 429] }),
  )
  const leaks = (paced.limit * elapsedMs) / 1000
  const most = Math.floor(paced.burst + leaks)
  ok(passed <= most, `a leased rate let ${passed} through, ${most} at most`)
  // A quarter of the burst is held back, a quarter may lie in leases; a second for an instance that was slow to ask,
  // and what leaked while nobody could.
  const least = Math.floor(paced.burst / 2 + leaks - paced.limit * (1 + stalledMs() / 1000))
  ok(passed >= Math.min(least, sent / 2), `a leased rate let only ${passed} of ${sent} through, ${least} at least`)
  return `a leased rate of ${paced.limit}/s in ${(elapsedMs / 1000).toFixed(1)} s ${passed} of ${least} to ${most}`
}
