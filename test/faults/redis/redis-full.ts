// F6: Redis has no memory left and refuses writes; and a Redis that would throw away what it was given is not started
// with.

import { equal, match, ok } from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import type { PlainAnswer } from '../../support/cluster/cluster-instance.js'
import { whileRevoking } from '../../support/cluster/token-ledger.js'
import { until } from '../../support/traffic/until.js'
import { statuses } from '../scene/measure.js'
import { newCast, newToken } from '../scene/provision.js'
import { type FaultStory, proxiedCluster } from '../story.js'

export const redisFull: FaultStory = {
  name: 'redis-full',
  faults: ['F6'],
  expected:
    'revoking is 200 and effective, or 503; proxying goes on; an instance does not start with an evicting Redis, and says why',
  cluster: proxiedCluster,
  ownCluster: true,
  async run(scene) {
    const { instances, redis } = scene.cluster
    const [first, , last] = instances
    if (first === undefined || last === undefined) throw new Error('too few instances')
    const { application, next } = await newCast(instances)
    const traffic = scene.traffic({ targets: scene.direct, perSecond: 60, next })
    await redis.command('config', 'set', 'maxmemory', '1mb')
    const answers: number[] = []
    for (let at = 0; at < 5; at += 1) {
      const token = await newToken(first.port, application)
      for (const target of scene.direct) equal((await scene.probe(target, token)).status, 200)
      const answer: PlainAnswer = await whileRevoking([token], () =>
        first.manage('POST', '/revocations', { what: 'token', token: token.text }),
      )
      answers.push(answer.status)
      if (answer.status !== 200) equal(answer.status, 503)
      else
        for (const target of scene.direct)
          await until(`${target.via} refuses`, async () => (await scene.probe(target, token)).status === 401, 1_000)
    }
    await redis.command('config', 'set', 'maxmemory', '0')
    await wait(500)
    await traffic.stop()
    scene.mayEnd(last)
    await last.stop()
    await redis.command('config', 'set', 'maxmemory-policy', 'allkeys-lru')
    const started = await last.start().then(
      () => true,
      () => false,
    )
    ok(!started, 'it started with a Redis that evicts')
    const said = readFileSync(last.logFile, 'utf8').slice(-1_500)
    match(said, /evict|maxmemory-policy/i)
    await redis.command('config', 'set', 'maxmemory-policy', 'noeviction')
    const recoveryMs = await last.start()
    const text = `revoking answered ${[...new Set(answers)]}; ${statuses(traffic.exchanges)}; refused to start: ${/[^\n]*(?:evict|maxmemory-policy)[^\n]*/i.exec(said)?.[0].slice(0, 160)}`
    return { text, recoveryMs }
  },
}
