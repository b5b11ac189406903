// The real feed, stream and view over simulated time and networks: the same seed is the same story, and no story, however
// instances are cut off, restarted and slowed down, breaks what a revocation promises.

import t from 'tap'
import { effort, isFullEffort, runSeed } from '../support/effort.js'
import { sufferPartitions } from './partitions.js'
import { loadOf } from './scenarios.js'
import { startSimulatedCluster } from './simulated-cluster.js'

const link = { roundTripMs: 1, jitterMs: 0.5, lostPerMille: 1 }

t.test('the same seed gives the same figures, another one others', async (t) => {
  const run = async (seed: number) => {
    const cluster = await startSimulatedCluster({ instances: 3, seed, link, withRedis: true })
    const load = await loadOf(cluster, 3)
    await cluster.stop()
    return load
  }
  const [one, again, other] = [await run(1), await run(1), await run(2)]
  t.same(again, one)
  t.notSame(other, one)
})

t.test('however instances are cut off, none accepts a revoked token longer than was promised', async (t) => {
  const seen = { answered: 0, refused: 0, stale: 0 }
  for (let i = 0; i < effort(10); i += 1) {
    const seed = runSeed + i
    const { broken, answered, refused, stale } = await sufferPartitions({ seed, instances: 4, seconds: 25 })
    t.same(broken.slice(0, 3), [], `seed ${seed}`)
    seen.answered += answered
    seen.refused += refused
    seen.stale += stale
  }
  t.comment(JSON.stringify(seen))
  t.ok(seen.answered > 0, 'the stories had something to show')
  if (isFullEffort) t.ok(seen.refused > 0 && seen.stale > 0, 'and the worst of it')
})
