// F9: PostgreSQL hangs (SIGSTOP): connections stay open and nothing is answered.

import { equal, ok } from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { until } from '../../support/traffic/until.js'
import { startControl } from '../scene/control.js'
import { longestMs, statuses } from '../scene/measure.js'
import { newCast } from '../scene/provision.js'
import { type FaultStory, proxiedCluster } from '../story.js'

/** Two seconds for a statement and two for a connection, threefold because the machine may be busy. */
const mostMs = 12_000

export const postgresqlHangs: FaultStory = {
  name: 'postgresql-hangs',
  faults: ['F9'],
  expected:
    'proxying goes on while the view is fresh, nothing waits for it; management gives up with 503 after its bounds; it recovers by itself',
  cluster: proxiedCluster,
  async run(scene) {
    const { cluster, full } = scene
    const { instances, postgres } = cluster
    const [first] = instances
    const { next, tokens } = await newCast(instances)
    const good = tokens[0]
    if (first === undefined || good === undefined) throw new Error('no instance')
    const descriptors = () => instances.map((instance) => instance.usage().descriptors)
    const before = descriptors()
    const control = startControl(instances)
    const traffic = scene.traffic({ targets: scene.direct, perSecond: 60, next })
    await wait(500)
    postgres.pause()
    const fromMs = performance.now()
    // From the bound on the view may be too old.
    const stale = scene.allow({ statuses: [503] })
    stale.fromMs = fromMs + 2_500
    const waits: number[] = []
    while (performance.now() - fromMs < (full ? 20_000 : 3_500)) {
      const started = performance.now()
      const answer = await first.manage('POST', '/tenants', { name: 'While it hangs' })
      waits.push(performance.now() - started)
      equal(answer.status, 503)
      ok(answer.headers['retry-after'] !== undefined)
      await wait(100)
    }
    const during = descriptors()
    for (const [at, count] of during.entries())
      ok(count <= (before[at] ?? 0) + 40, `descriptors ${before} became ${during}`)
    const toMs = performance.now()
    postgres.resume()
    const recoveryMs = await scene.untilServed(good)
    await until(
      'management writes',
      async () => (await first.manage('POST', '/tenants', { name: 'After' })).status === 201,
    )
    stale.toMs = performance.now()
    await wait(500)
    await traffic.stop()
    control.stop()
    const slowestMs = longestMs(traffic.exchanges, fromMs, toMs)
    const excess = control.excess(traffic.exchanges, fromMs, toMs)
    ok(excess.ms < 900, excess.text)
    ok(Math.max(...waits) < mostMs, `management waited ${Math.max(...waits).toFixed(0)} ms`)
    ok(recoveryMs < 9_000, `it took ${recoveryMs.toFixed(0)} ms to recover`)
    const text = `proxying ${statuses(traffic.exchanges)}, longest ${slowestMs.toFixed(0)} ms, ${excess.ms.toFixed(0)} of it not the machine's; management gave up after at most ${Math.max(...waits).toFixed(0)} ms; descriptors ${before} then ${during}`
    return { text, recoveryMs }
  },
}
