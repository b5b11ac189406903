// F4: one instance of three loses Redis, silently and then with resets. It still has the Store, so it still hears of
// everything.

import { equal } from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { whileRevoking } from '../../support/cluster/token-ledger.js'
import { until } from '../../support/traffic/until.js'
import { statuses } from '../scene/measure.js'
import { managed, newCast, newToken } from '../scene/provision.js'
import { type FaultStory, proxiedCluster } from '../story.js'

export const cutOffFromRedis: FaultStory = {
  name: 'cut-off-from-redis',
  faults: ['F4'],
  expected: 'no 5xx anywhere; revocations made elsewhere are effective in the cut-off instance within a second',
  cluster: proxiedCluster,
  async run(scene) {
    const { instances } = scene.cluster
    const [first, , last] = instances
    const lastTarget = scene.direct[2]
    if (first === undefined || last?.redis === undefined || lastTarget === undefined)
      throw new Error('too few instances')
    const { application, next } = await newCast(instances)
    const traffic = scene.traffic({ targets: scene.direct, perSecond: 60, next })
    const heardMs: number[] = []
    for (const silently of [true, false]) {
      if (silently) await last.redis.blackhole()
      else await last.redis.set({ refuse: 'down' })
      await wait(scene.full ? 6_000 : 500)
      for (let at = 0; at < 5; at += 1) {
        const token = await newToken(first.port, application)
        equal((await scene.probe(lastTarget, token)).status, 200)
        await whileRevoking([token], () => managed(first, 'POST', '/revocations', { what: 'token', token: token.text }))
        heardMs.push(
          await until(
            'the cut-off instance refuses',
            async () => (await scene.probe(lastTarget, token)).status === 401,
          ),
        )
      }
      await last.redis.heal()
    }
    await traffic.stop()
    return {
      text: `${statuses(traffic.exchanges)}; heard of ${heardMs.length} revocations after at most ${Math.max(...heardMs).toFixed(0)} ms`,
    }
  },
}
