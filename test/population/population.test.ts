// A population of hostile callers beside one honest one, on the defaults of the product: each story by itself on
// SQLite, some of them by chance on PostgreSQL and Redis, then several at once. The honest caller's errors and latency
// are the judge.
// full: hostile populations beside an honest caller, minutes
// run: alone

import t from 'tap'
import { createHonestCaller } from './honest.js'
import { startHostile } from './hostile/process.js'
import { stories } from './hostile/stories.js'
import { chosen, mixes, seedOf } from './mixes.js'
import { arrived, type Compared, compareFairly, described, holds, isBearable, type Rounds } from './rounds.js'
import { openWorld, type StorageKind } from './world.js'

t.setTimeout(560_000)
const lengths = { quietMs: 500, loudMs: 2_000 }
const names: Record<StorageKind, string> = { embedded: 'SQLite', shared: 'PostgreSQL and Redis' }

for (const storage of ['embedded', 'shared'] as const) {
  t.test(`an honest caller beside hostile ones, on ${names[storage]}`, async (t) => {
    const world = await openWorld(t, storage)
    const honest = createHonestCaller(world)
    t.teardown(() => honest.end())
    const hostile = startHostile(t, world.hostile)
    await honest.round(2_000)
    const rounds: Rounds = { honest, hostile, ...lengths }

    const judge = async (what: string, acts: readonly { name: string; force: number }[]) => {
      const good = (round: Compared) => isBearable(round) && arrived(round)
      const compared = await compareFairly(good, rounds, acts)
      for (const round of compared)
        t.comment(`${holds(round) ? '' : 'MORE THAN THREE TIMES: '}${what}: ${described(round)}`)
      const wrong = compared.flatMap((round: Compared) => round.wrong)
      t.same(wrong, [], `${what}: nothing honest is refused or lost`)
      t.ok(
        wrong.length > 0 || compared.some(isBearable),
        `${what}: p99 at most three times the quiet one, or half a second`,
      )
    }
    const seed = seedOf()
    t.comment(`seed ${seed}`)
    const chosenStories = storage === 'embedded' ? stories : chosen(seed, 7)
    for (const { name, does } of chosenStories) await judge(`${name}, ${does}`, [{ name, force: 1 }])
    for (const acts of mixes(seed, 2)) {
      await judge(acts.map(({ name, force }) => `${name} × ${force.toFixed(1)}`).join(' and '), acts)
    }
  })
}
