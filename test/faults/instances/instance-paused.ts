// F22: an instance stands still (SIGSTOP) for longer than a view may be old, and goes on. What waited in its sockets
// meanwhile must not be decided on what it knew before.

import { equal, ok } from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { exchange, keptAlive } from '../../support/cluster/checking-client.js'
import { type LedgerToken, whileRevoking } from '../../support/cluster/token-ledger.js'
import { managed, newApplication, newCast, newToken } from '../scene/provision.js'
import { type FaultStory, proxiedCluster } from '../story.js'

export const instancePaused: FaultStory = {
  name: 'instance-paused',
  faults: ['F22'],
  expected: 'after it goes on, not one revoked token is let through: its first decisions are refusals, 401 or 503',
  cluster: proxiedCluster,
  async run(scene) {
    const { instances } = scene.cluster
    const [first, , last] = instances
    const target = scene.direct[2]
    if (first === undefined || last === undefined || target === undefined) throw new Error('too few instances')
    const { tenantId, tokens } = await newCast(instances)
    const revoked: LedgerToken[] = []
    for (let at = 0; at < 10; at += 1) {
      const token = await newToken(first.port, await newApplication(first, tenantId))
      equal((await scene.probe(target, token)).status, 200)
      revoked.push(token)
    }
    const agents = revoked.map(() => keptAlive(1))
    try {
      // Connections that are open already, each with a token that this instance has in its cache.
      const before = await Promise.all(revoked.map((token, at) => exchange({ target, token, agent: agents[at] })))
      for (const { status } of before) equal(status, 200)
      scene.note(before)
      last.pause()
      const pausedMs = performance.now()
      await wait(500)
      const checks = revoked.map((token) => {
        const body = { what: 'application', id: token.applicationId }
        return whileRevoking([token], () => managed(first, 'POST', '/revocations', body))
      })
      await Promise.all(checks)
      await wait(Math.max(0, (scene.full ? 20_000 : 7_000) - (performance.now() - pausedMs)))
      const sent = revoked.map((token, at) => exchange({ target, token, agent: agents[at], timeoutMs: 20_000 }))
      await wait(200)
      const stale = scene.allow({ statuses: [503], via: target.via })
      last.resume()
      const resumedMs = performance.now()
      const answers = await Promise.all(sent)
      scene.note(answers)
      const statuses = answers.map(({ status }) => status)
      ok(
        statuses.every((status) => status === 401 || status === 503),
        `the first answers were ${statuses}`,
      )
      const recoveryMs = await scene.untilServed(tokens[0] as LedgerToken, [target])
      stale.toMs = performance.now()
      for (const token of revoked) equal((await scene.probe(target, token)).status, 401)
      const firstMs = Math.min(...answers.map(({ endedMs }) => endedMs)) - resumedMs
      return {
        text: `first answers ${[...new Set(statuses)].join(', ')}, ${firstMs.toFixed(0)} ms after it went on`,
        recoveryMs,
      }
    } finally {
      for (const agent of agents) agent.destroy()
    }
  },
}
