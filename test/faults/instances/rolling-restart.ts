// F14: every instance is ended (SIGTERM) and started again in turn behind the balancer, under load.

import { equal } from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { until } from '../../support/traffic/until.js'
import { statuses } from '../scene/measure.js'
import { newCast } from '../scene/provision.js'
import { type FaultStory, plainCluster } from '../story.js'

export const rollingRestart: FaultStory = {
  name: 'rolling-restart',
  faults: ['F14'],
  expected: 'not one request fails at 300 requests a second over kept-alive connections',
  cluster: plainCluster,
  async run(scene) {
    const { instances, balancer } = scene.cluster
    const { next } = await newCast(instances)
    const traffic = scene.traffic({ targets: [scene.balancer], perSecond: scene.full ? 300 : 150, next })
    // A few that take longer than the way to the listener's end.
    const slow = scene.traffic({
      targets: [scene.balancer],
      perSecond: 5,
      next,
      path: () => '/api/v2/check/1?hold=1500',
    })
    await wait(1_000)
    const stopMs: number[] = []
    for (const instance of scene.full ? instances : instances.slice(0, 1)) {
      scene.mayEnd(instance)
      const started = performance.now()
      equal(await instance.stop('SIGTERM'), 0, `${instance.name} ended with 0`)
      stopMs.push(performance.now() - started)
      await instance.start()
      await until('HAProxy takes it back', async () => (await balancer.up()).includes(instance.name))
    }
    await wait(1_000)
    await Promise.all([traffic.stop(), slow.stop()])
    const all = [...traffic.exchanges, ...slow.exchanges]
    const failed = all.filter(({ status }) => status === 0 || status >= 500)
    equal(failed.length, 0, `${failed.length} failed: ${failed[0]?.status} ${failed[0]?.fault}`)
    const longest = (Math.max(...stopMs) / 1000).toFixed(1)
    return {
      text: `${stopMs.length} restarts, ${all.length} requests (${statuses(all)}), the longest stop took ${longest} s`,
    }
  },
}
