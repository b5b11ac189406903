// F7: every key that we have in Redis suddenly holds something of another type, or nonsense.

import { equal, ok } from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { whileRevoking } from '../../support/cluster/token-ledger.js'
import { until } from '../../support/traffic/until.js'
import { statuses } from '../scene/measure.js'
import { managed, newCast, newToken } from '../scene/provision.js'
import { type FaultStory, proxiedCluster } from '../story.js'

export const redisWrongValues: FaultStory = {
  name: 'redis-wrong-values',
  faults: ['F7'],
  expected: 'nobody crashes, nothing revoked is let through, no 5xx; revocations are still heard of within a second',
  cluster: proxiedCluster,
  ownCluster: true,
  async run(scene) {
    const { instances, redis } = scene.cluster
    const [first] = instances
    if (first === undefined) throw new Error('no instance')
    const { application, next } = await newCast(instances)
    const path = (turn: number) => (turn % 4 === 0 ? '/api/v2/leased/1' : '/api/v2/check/1')
    const traffic = scene.traffic({ targets: scene.direct, perSecond: 60, next, path })
    const gone = await newToken(first.port, application)
    await whileRevoking([gone], () => managed(first, 'POST', '/revocations', { what: 'token', token: gone.text }))
    await wait(1_000)
    const keys = (await redis.command('keys', '*')).split('\n').filter((key) => key !== '')
    ok(keys.length > 0, 'there are keys to spoil')
    for (const key of keys) {
      await redis.command('del', key)
      await redis.command('set', key, 'nonsense')
    }
    await wait(500)
    const token = await newToken(first.port, application)
    for (const target of scene.direct) equal((await scene.probe(target, token)).status, 200)
    await whileRevoking([token], () => managed(first, 'POST', '/revocations', { what: 'token', token: token.text }))
    const heardMs = await Promise.all(
      scene.direct.map((target) =>
        until(`${target.via} refuses`, async () => (await scene.probe(target, token)).status === 401, 2_000),
      ),
    )
    for (const target of scene.direct) equal((await scene.probe(target, gone)).status, 401)
    await redis.command('flushall')
    const recoveryMs = await scene.untilServed(await newToken(first.port, application))
    await wait(1_000)
    await traffic.stop()
    return {
      text: `${keys.length} keys spoiled; heard after at most ${Math.max(...heardMs).toFixed(0)} ms; ${statuses(traffic.exchanges)}`,
      recoveryMs,
    }
  },
}
