// F34: the name of a service behind the gate cannot be resolved any more: an error at once, or no answer at all.

import { ok } from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import type { Document } from 'yaml'
import { longestMs, statuses } from '../scene/measure.js'
import { newCast } from '../scene/provision.js'
import type { FaultStory } from '../story.js'

/** A second route to the same service, by a name that the test answers for (instance-hooks.ts). */
function withNamedUpstream(document: Document): void {
  const { upstreams } = document.toJS() as { upstreams: { recorder: { target: string } } }
  const target = upstreams.recorder.target.replace('127.0.0.1', 'recorder.test')
  document.setIn(['upstreams', 'named'], { target })
  document.setIn(['routes', 'GET /api/v2/named/{id}'], { to: 'named', require: 'assets_read' })
}

export const upstreamNameLost: FaultStory = {
  name: 'upstream-name-lost',
  faults: ['F34'],
  expected:
    'open connections go on; what needs a new one is 502, 503 or 504 within the connect time-out; other routes notice nothing; it recovers',
  cluster: { configure: withNamedUpstream },
  async run(scene) {
    const { instances } = scene.cluster
    const { next, tokens } = await newCast(instances)
    const good = tokens[0]
    if (good === undefined) throw new Error('no token')
    const target = scene.direct[0]
    const [first] = instances
    if (first === undefined || target === undefined) throw new Error('no instance')
    const background = scene.traffic({ targets: scene.direct, perSecond: 60, next })
    const named = async () => (await scene.probe(target, good, '/api/v2/named/1')).status
    const lines: string[] = []
    const before = await named()
    for (const answer of ['fail', 'never'] as const) {
      const failing = scene.allow({ statuses: [502, 503, 504], via: target.via })
      first.hook({ do: 'names', answer })
      await wait(200)
      const fromMs = performance.now()
      // More at once than there are connections, so that new ones are needed.
      const answers = await Promise.all(
        Array.from({ length: 30 }, () => scene.probe(target, good, '/api/v2/named/1?hold=300')),
      )
      const longest = longestMs(answers, fromMs, performance.now())
      ok(longest < 9_000, `it took ${longest.toFixed(0)} ms`)
      lines.push(`${answer}: ${statuses(answers)}, longest ${longest.toFixed(0)} ms`)
      first.hook({ do: 'names', answer: 'loopback' })
      await wait(100)
      failing.toMs = performance.now()
    }
    let after = await named()
    for (let tries = 0; after !== 200 && tries < 100; tries += 1) {
      await wait(100)
      after = await named()
    }
    await background.stop()
    return {
      text: `before ${before}; ${lines.join('; ')}; after ${after}; beside it ${statuses(background.exchanges)}`,
    }
  },
}
