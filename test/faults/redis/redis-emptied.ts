// F1: Redis is killed and comes back with nothing. Nothing that was decided was in it alone.

import { equal, ok } from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { whileRevoking } from '../../support/cluster/token-ledger.js'
import { startControl } from '../scene/control.js'
import { longestMs, statuses } from '../scene/measure.js'
import { managed, newCast, newToken } from '../scene/provision.js'
import { type FaultStory, proxiedCluster } from '../story.js'

export const redisEmptied: FaultStory = {
  name: 'redis-emptied',
  faults: ['F1'],
  expected: 'proxying goes on without a 5xx; revoking is 200 or 503; what was revoked stays so with the empty Redis',
  cluster: proxiedCluster,
  async run(scene) {
    const { cluster, full } = scene
    const { instances, redis } = cluster
    const [first] = instances
    if (first === undefined) throw new Error('no instance')
    const { application, next } = await newCast(instances)
    const before = []
    for (let at = 0; at < (full ? 100 : 20); at += 1) before.push(await newToken(first.port, application))
    for (const token of before)
      await whileRevoking([token], () => managed(first, 'POST', '/revocations', { what: 'token', token: token.text }))
    const late = await newToken(first.port, application)

    const control = startControl(instances)
    const traffic = scene.traffic({ targets: scene.direct, perSecond: 90, next })
    await wait(500)
    await redis.kill()
    const killedMs = performance.now()
    const answered = await whileRevoking([late], () =>
      first.manage('POST', '/revocations', { what: 'token', token: late.text }),
    )
    if (answered.status === 200) before.push(late)
    else equal(answered.status, 503, answered.body)
    await wait(full ? 10_000 : 1_500)
    await redis.start()
    const recoveryMs = await scene.untilServed(before[0] === undefined ? late : await newToken(first.port, application))
    await wait(1_000)
    for (const token of before) {
      for (const target of scene.direct) {
        const { status } = await scene.probe(target, token)
        equal(status, 401, `a token that was revoked before is answered ${status} by ${target.via}`)
      }
    }
    await traffic.stop()
    control.stop()
    const slowestMs = longestMs(traffic.exchanges, killedMs, performance.now())
    const excess = control.excess(traffic.exchanges, killedMs, performance.now())
    ok(excess.ms < 900, excess.text)
    const text = `${before.length} revoked stay refused; revoking meanwhile ${answered.status}; ${statuses(traffic.exchanges)}; longest ${slowestMs.toFixed(0)} ms, ${excess.ms.toFixed(0)} of it not the machine's`
    return { text, recoveryMs }
  },
}
