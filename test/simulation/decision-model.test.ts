// run: apart
// The simulation decides on limits without a Redis: number by number as the script on a real one does.

import { createHash } from 'node:crypto'
import { Redis } from 'ioredis'
import t from 'tap'
import { decisionScript } from '../../src/storage/counters/redis-script.js'
import { startRedis } from '../support/databases/redis.js'
import { runSeed } from '../support/effort.js'
import { createChance } from './chance.js'
import { createDecisionModel } from './decision-model.js'

t.test('the model of the script answers as the script does', async (t) => {
  const server = await startRedis(t)
  const client = new Redis(server.url)
  t.teardown(() => client.disconnect())
  const model = createDecisionModel(() => 0)
  const chance = createChance(runSeed)
  const below = (most: number) => Math.floor(chance() * most)
  const last = new Map<string, (string | number)[]>()
  const keys = ['{p}:a', '{p}:b', '{p}:c']
  let now = 1_800_000_000_000_000
  for (let i = 0; i < 600; i += 1) {
    now += below(300_000)
    const chosen = keys.filter(() => chance() < 0.6)
    const words: (string | number)[] = [now, chance() < 0.9 ? 'take' : 'peek', 1 + below(5)]
    for (const key of chosen) {
      const isRate = key !== '{p}:c'
      const lease = chance() < 0.7 ? 500_000 : 0
      const back = last.get(key) ?? [0, 0, 0]
      last.delete(key)
      words.push(...(isRate ? ['r', 600, 10_000, 60] : ['q', 200, 60_000, 0]), 1 + below(3), lease)
      words.push(below(8), chance() < 0.1 ? below(3) : 0, ...back)
    }
    const all = ['{p}:clock', ...chosen]
    const real = ((await client.eval(decisionScript, all.length, ...all, ...words)) as unknown[]).map(Number)
    const modelled = model(all, words)
    if (JSON.stringify(real) !== JSON.stringify(modelled)) {
      t.same(modelled, real, `decision ${i}, seed ${runSeed}`)
      return
    }
    const quota = chosen.indexOf('{p}:c')
    const [ahead = 0, born = 0, slot = 0] = real.slice(1 + quota * 7 + 4)
    if (quota !== -1 && ahead > 1 && chance() < 0.5) last.set('{p}:c', [ahead - 1, born, slot])
  }
  t.pass(`600 decisions, script ${createHash('sha1').update(decisionScript).digest('hex').slice(0, 8)}`)
})
