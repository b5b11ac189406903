// F8: PostgreSQL is killed (kill -9, as in a power cut) and started again, under load.

import { equal, ok } from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { watchStalls } from '../../support/traffic/stalls.js'
import { until } from '../../support/traffic/until.js'
import { statuses } from '../scene/measure.js'
import { askToken, managed, newCast, newToken } from '../scene/provision.js'
import { type FaultStory, proxiedCluster } from '../story.js'

/** A second between two questions, threefold. */
const noticedMs = 3_000

export const postgresqlKilled: FaultStory = {
  name: 'postgresql-killed',
  faults: ['F8'],
  expected:
    'proxying goes on while the view is fresh, then 503; management and, once it is noticed, tokens answer 503 with Retry-After; all works again within 3 s',
  cluster: proxiedCluster,
  async run(scene) {
    const { cluster, full } = scene
    const { instances, postgres } = cluster
    const [first] = instances
    if (first === undefined) throw new Error('no instance')
    const { application, tokens, next } = await newCast(instances)
    const traffic = scene.traffic({ targets: scene.direct, perSecond: 90, next })
    await wait(500)
    await postgres.stop('SIGKILL')
    const killedMs = performance.now()
    const stalledMs = watchStalls()
    // From the bound on the view may be too old; before it nothing may fail.
    const stale = scene.allow({ statuses: [503] })
    stale.fromMs = killedMs + 4_000
    const answers = new Map<string, number>()
    const note = (what: string, status: number) =>
      answers.set(`${what} ${status}`, (answers.get(`${what} ${status}`) ?? 0) + 1)
    let givenMs = killedMs
    while (performance.now() - killedMs < (full ? 12_000 : 4_500)) {
      const written = await first.manage('POST', '/tenants', { name: 'While it is away' })
      refusedInForm(written.status, written.headers['retry-after'], 'management')
      note('management', written.status)
      const token = await askToken(first.port, application)
      if (token.status === 200) givenMs = performance.now()
      else refusedInForm(token.status, token.headers['retry-after'], 'the token endpoint')
      note('token', token.status)
      await wait(300)
    }
    // Each instance asks its Store every second.
    const gaveMs = givenMs - killedMs - stalledMs()
    ok(gaveMs < noticedMs, `the token endpoint gave tokens for ${gaveMs.toFixed(0)} ms`)
    await postgres.start()
    const good = tokens[0]
    if (good === undefined) throw new Error('no token')
    const servedMs = await scene.untilServed(good)
    const writesMs = await until(
      'management writes',
      async () => (await first.manage('POST', '/tenants', { name: 'After' })).status === 201,
    )
    stale.toMs = performance.now()
    const recoveryMs = servedMs + writesMs
    ok(recoveryMs < 9_000, `it took ${recoveryMs.toFixed(0)} ms to recover`)
    await until('every instance is ready', async () =>
      (await Promise.all(instances.map((one) => one.operator('/readyz')))).every(({ status }) => status === 200),
    )
    for (const target of scene.direct)
      equal((await scene.probe(target, await newToken(target.port, application))).status, 200)
    await managed(first, 'GET', '/tenants')
    await traffic.stop()
    const summary = [...answers].map(([what, count]) => `${what}: ${count}`).join(', ')
    return { text: `proxying ${statuses(traffic.exchanges)}; meanwhile ${summary}`, recoveryMs }
  },
}

function refusedInForm(status: number, retryAfter: string | undefined, who: string): void {
  equal(status, 503, `${who} answered ${status}`)
  ok(retryAfter !== undefined, `${who} said when to come back`)
}
