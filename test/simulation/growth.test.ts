// What each instance costs does not grow with how many there are; and the simulation says of three what real ones cost.
// full: a hundred simulated instances, and three real ones
// run: alone

import t from 'tap'
import { measure } from './measured-cluster.js'
import { simulate } from './scenarios.js'
import { columnsOf } from './table.js'

const link = { roundTripMs: 0.5, jitterMs: 0.1, lostPerMille: 0.1 }

t.test('a hundred instances cost PostgreSQL and Redis, for each, about what thirty do', async (t) => {
  const [few, many] = [30, 100]
  const before = columnsOf(await simulate({ instances: few, seed: 1, link }, 4))
  const after = columnsOf(await simulate({ instances: many, seed: 1, link }, 4))
  for (const name of ['SQL/s', 'tx/s', 'rows/s', 'PG kB/s', 'xadd/s', 'xread/s', 'xrevrange/s', 'Redis kB/s']) {
    const ratio = (after[name] ?? 0) / many / ((before[name] ?? 0) / few)
    t.ok(ratio < 1.5, `${name}: ${ratio.toFixed(2)} times as much for each`)
  }
  t.ok((after['xadd/s'] ?? 99) < 10, 'a few signs of life a second, of whom there are')
})

t.test('of three real processes the simulation knew the load within a fifth', async (t) => {
  const { machine, link: its = link, ...real } = await measure(t, 3, 20)
  const measured = columnsOf(real)
  const simulated = columnsOf(await simulate({ instances: 3, seed: 1, link: its, ...(machine && { machine }) }, 20))
  for (const name of ['SQL/s', 'tx/s', 'rows/s', 'xread/s', 'xrevrange/s', 'lag poll', 'Redis/1000 calls']) {
    const [real = 0, predicted = 0] = [measured[name], simulated[name]]
    t.comment(`${name}: measured ${real.toFixed(1)}, simulated ${predicted.toFixed(1)}`)
    // Beside the fifth, what a machine adds that stands still for a while.
    t.ok(Math.abs(predicted - real) <= Math.max(1, real * 0.35), `${name} is near`)
  }
  // Of real ones it is the bound of the histogram above it. The median, because no standstill of the machine moves it.
  const [bound = 0, predicted = 0] = [measured['its p50'], simulated['its p50']]
  t.comment(`half of the revocations: measured up to ${bound} ms, simulated ${predicted.toFixed(1)}`)
  t.ok(predicted <= 2 * bound && predicted >= bound / 5, 'the lag of the stream is near')
})
