// Instances far from PostgreSQL and Redis, as in another region: what they promise while they are connected, and when
// the region is cut off. src/docs/sizing.md says it to operators.

import t from 'tap'
import { isAccepted, revokeAll, startSimulatedCluster } from './simulated-cluster.js'

const at = 1_800_000_000_000
const far = (roundTripMs: number) => ({ roundTripMs, jitterMs: 15, lostPerMille: 1 })

for (const roundTripMs of [80, 150]) {
  t.test(
    `${roundTripMs} ms from the Store a revocation holds everywhere within a second, and nobody is stale`,
    async (t) => {
      const cluster = await startSimulatedCluster({ instances: 3, seed: 5, link: far(roundTripMs), withRedis: true })
      const { time, instances } = cluster
      const [first] = instances
      if (first === undefined) throw new Error('there is no instance')
      const late: number[] = []
      let stale = 0
      for (let i = 0; i < 5; i += 1) {
        await time.settled(revokeAll(first, `application-${i}`, at))
        const answeredAt = time.now()
        while (instances.some((each) => isAccepted(each, `application-${i}`, at))) await time.pass(5)
        late.push(time.now() - answeredAt)
        await time.pass(700)
        stale += instances.filter(({ view }) => view.isStale()).length
      }
      t.ok(Math.max(...late) <= 1_000, `at most ${Math.round(Math.max(...late))} ms after the answer`)
      t.equal(stale, 0)
      await cluster.stop()
    },
  )
}

t.test(
  'a region that is cut off lets calls in for five seconds, then refuses all, and finds back by itself',
  async (t) => {
    const cluster = await startSimulatedCluster({ instances: 3, seed: 5, link: far(80), withRedis: true })
    const { time, instances } = cluster
    const [near, , cutOff] = instances
    if (near === undefined || cutOff === undefined) throw new Error('there is no instance')
    const ways = [cutOff.ways.store, ...cutOff.ways.redis]
    for (const way of ways) way.isCut = true
    await time.settled(revokeAll(near, 'application', at))
    t.ok(isAccepted(cutOff, 'application', at), 'it cannot know yet')
    await time.pass(5_000)
    t.notOk(isAccepted(cutOff, 'application', at))
    t.ok(cutOff.view.isStale(), 'nothing is let in any more')
    t.notOk(near.view.isStale(), 'where the Store is, everything goes on')
    await t.rejects(time.settled(revokeAll(cutOff, 'other', at)), { code: 'store_unavailable' })
    for (const way of ways) way.isCut = false
    await time.pass(4_000)
    t.notOk(cutOff.view.isStale(), 'whole again')
    t.notOk(isAccepted(cutOff, 'application', at))
    await cluster.stop()
  },
)

t.test('a region that hears Redis and not PostgreSQL goes on for a minute', async (t) => {
  const cluster = await startSimulatedCluster({ instances: 2, seed: 5, link: far(80), withRedis: true })
  const { time, instances } = cluster
  const [near, other] = instances
  if (near === undefined || other === undefined) throw new Error('there is no instance')
  other.ways.store.isCut = true
  await time.pass(30_000)
  await time.settled(revokeAll(near, 'application', at))
  await time.pass(500)
  t.notOk(other.view.isStale())
  t.notOk(isAccepted(other, 'application', at), 'it has heard of it on the stream')
  await time.pass(35_000)
  t.ok(other.view.isStale(), 'then it refuses')
  await cluster.stop()
})
