// F17: there is no room left where the log of an instance goes.

import { equal } from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { statuses } from '../scene/measure.js'
import { managed, newCast } from '../scene/provision.js'
import { type FaultStory, proxiedCluster } from '../story.js'

export const logDiskFull: FaultStory = {
  name: 'log-disk-full',
  faults: ['F17'],
  expected: 'requests are served and management works while not one line can be written',
  cluster: proxiedCluster,
  ownCluster: true,
  async run(scene) {
    const { instances } = scene.cluster
    const [, , last] = instances
    const target = scene.direct[2]
    if (last === undefined || target === undefined) throw new Error('too few instances')
    const { next } = await newCast(instances)
    scene.mayEnd(last)
    await last.stop()
    await last.start('/dev/full')
    const traffic = scene.traffic({ targets: [target], perSecond: 90, next })
    await wait(scene.full ? 10_000 : 2_000)
    await managed(last, 'POST', '/tenants', { name: 'Without a log' })
    await traffic.stop()
    equal(last.running, true)
    const dropped = await last.metric('portcullis_log_lines_dropped_total')
    equal(await last.stop(), 0, 'it ends as it should')
    await last.start()
    return { text: `${statuses(traffic.exchanges)}; ${dropped} lines counted as dropped` }
  },
}
