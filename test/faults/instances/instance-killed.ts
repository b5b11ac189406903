// F13: one instance of three is killed (kill -9) behind the balancer, under load, and started again.

import { ok } from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { watchStalls } from '../../support/traffic/stalls.js'
import { until } from '../../support/traffic/until.js'
import { statuses } from '../scene/measure.js'
import { newCast } from '../scene/provision.js'
import { type FaultStory, plainCluster } from '../story.js'

export const instanceKilled: FaultStory = {
  name: 'instance-killed',
  faults: ['F13'],
  expected:
    'only requests that were in it, or on their way to it before the balancer looked again, fail; no other instance notices',
  cluster: plainCluster,
  async run(scene) {
    const { cluster, full } = scene
    const { instances, balancer } = cluster
    const victim = instances[1]
    if (victim === undefined) throw new Error('too few instances')
    const { next } = await newCast(instances)
    const perSecond = full ? 300 : 120
    const others = scene.direct.filter(({ via }) => via !== victim.name)
    const traffic = scene.traffic({ targets: [scene.balancer], perSecond, next })
    const background = scene.traffic({ targets: others, perSecond: 20, next })
    await wait(1_000)
    scene.mayEnd(victim)
    // A third of what comes until HAProxy has checked twice, and what is in flight.
    const most = Math.ceil((perSecond / 3) * 0.5) + 10
    const failing = scene.allow({ via: scene.balancer.via, statuses: [0, 502, 503], most })
    const stalledMs = watchStalls()
    await victim.stop('SIGKILL')
    const noticedMs = await until('HAProxy leaves it out', async () => !(await balancer.up()).includes(victim.name))
    await wait(50)
    // What a machine that stood still held back came at once, before the balancer could look.
    failing.most = most + Math.ceil((perSecond * stalledMs()) / 1000)
    failing.toMs = performance.now()
    await wait(1_000)
    const startMs = await victim.start()
    await until('HAProxy takes it back', async () => (await balancer.up()).includes(victim.name))
    await wait(1_000)
    await Promise.all([traffic.stop(), background.stop()])
    const failed = traffic.exchanges.filter(({ status }) => status === 0 || status >= 500).length
    ok(failed <= failing.most, `${failed} failed`)
    const text = `${failed} of ${traffic.exchanges.length} failed (${statuses(traffic.exchanges)}); left out after ${noticedMs.toFixed(0)} ms; the others: ${statuses(background.exchanges)}`
    return { text, recoveryMs: startMs }
  },
}
