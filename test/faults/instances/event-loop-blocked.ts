// F15: the event loop of one instance stands still for two seconds.

import { ok } from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { until } from '../../support/traffic/until.js'
import { longestMs, statuses } from '../scene/measure.js'
import { newCast } from '../scene/provision.js'
import { type FaultStory, proxiedCluster } from '../story.js'

export const eventLoopBlocked: FaultStory = {
  name: 'event-loop-blocked',
  faults: ['F15'],
  expected:
    'requests in it wait, none is lost or mixed up; the balancer goes on with the others; nothing has piled up afterwards',
  cluster: proxiedCluster,
  async run(scene) {
    const { instances, balancer } = scene.cluster
    const victim = instances[1]
    if (victim === undefined) throw new Error('too few instances')
    const { next } = await newCast(instances)
    const traffic = scene.traffic({
      targets: [scene.balancer, { via: victim.name, port: victim.port }],
      perSecond: 120,
      next,
    })
    await wait(500)
    const fromMs = performance.now()
    victim.hook({ do: 'block', ms: 2_000 })
    // Its view may have missed something meanwhile: it says so until it has looked.
    const shedding = scene.allow({ statuses: [503] })
    const outMs = await until('HAProxy leaves it out', async () => !(await balancer.up()).includes(victim.name), 10_000)
    await until('HAProxy takes it back', async () => (await balancer.up()).includes(victim.name))
    shedding.toMs = performance.now()
    const recoveryMs = await until('nothing waits', () => traffic.waiting <= 2)
    await wait(500)
    await traffic.stop()
    const longest = longestMs(traffic.exchanges, fromMs, performance.now())
    ok(longest < 10_000, `a request waited ${longest.toFixed(0)} ms`)
    return {
      text: `left out after ${outMs.toFixed(0)} ms; ${statuses(traffic.exchanges)}; longest ${longest.toFixed(0)} ms`,
      recoveryMs,
    }
  },
}
