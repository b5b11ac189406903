// F30: something is thrown that nobody catches, and a promise is rejected that nobody looks at.

import { equal, match } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { until } from '../../support/traffic/until.js'
import { statuses } from '../scene/measure.js'
import { newCast } from '../scene/provision.js'
import { type FaultStory, plainCluster } from '../story.js'

export const uncaughtErrors: FaultStory = {
  name: 'uncaught-errors',
  faults: ['F30'],
  expected:
    'it is logged, what is in flight is finished, the process ends with a code that is not 0; started again it serves',
  cluster: plainCluster,
  ownCluster: true,
  async run(scene) {
    const { instances, balancer } = scene.cluster
    const victim = instances[2]
    if (victim === undefined) throw new Error('too few instances')
    const { next } = await newCast(instances)
    const traffic = scene.traffic({ targets: [scene.balancer], perSecond: 90, next })
    scene.mayEnd(victim)
    await wait(500)
    let recoveryMs = 0
    const codes: (number | null)[] = []
    for (const command of ['throw', 'reject'] as const) {
      victim.hook({ do: command })
      await until('it ends', () => !victim.running, 45_000)
      codes.push(await victim.stop())
      match(readFileSync(victim.logFile, 'utf8'), command === 'throw' ? /thrown by a test/ : /rejected by a test/)
      recoveryMs = await victim.start()
      await until('HAProxy takes it back', async () => (await balancer.up()).includes(victim.name))
    }
    for (const code of codes) equal(code !== 0, true, `it ended with ${code}`)
    await traffic.stop()
    return {
      text: `ended with ${codes.join(' and ')}; ${statuses(traffic.exchanges)} through the balancer`,
      recoveryMs,
    }
  },
}
