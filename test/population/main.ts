// `npm run population [-- STORY …] [--on embedded|shared] [--minutes N] [--seed N]`: stories whose names begin so, or
// `--all`, each by itself; without them mixes by chance for so long. `npm run population -- --soak` mixes without a
// break and says whether the product stays as it was. Ends with 1 when the honest caller noticed, or something grew.

import { createHonestCaller } from './honest.js'
import { startHostile } from './hostile/process.js'
import { stories } from './hostile/stories.js'
import { mixes, seedOf } from './mixes.js'
import { arrived, type Compared, compareFairly, described, holds } from './rounds.js'
import { soak } from './soak.js'
import { openWorld, type StorageKind } from './world.js'

const words = process.argv.slice(2)
const isSoak = words.includes('--soak')
const option = (name: string) => {
  const at = words.indexOf(`--${name}`)
  return at === -1 ? undefined : words.splice(at, 2)[1]
}
const minutes = Number(option('minutes') ?? (isSoak ? 10 : 1))
const storage = (option('on') ?? 'embedded') as StorageKind
const seed = Number(option('seed') ?? seedOf())
const names = words.filter((word) => !word.startsWith('--'))
const chosen = stories.filter(({ name }) => words.includes('--all') || names.some((word) => name.startsWith(word)))
if (names.length > 0 && chosen.length === 0)
  throw new Error(`no such story; there are: ${stories.map(({ name }) => name).join(', ')}`)

const works: (() => unknown)[] = []
const t = { teardown: (work: () => unknown) => void works.unshift(work) }
let ok = true
try {
  const world = await openWorld(t, storage)
  const honest = createHonestCaller(world)
  t.teardown(() => honest.end())
  const hostile = startHostile(t, world.hostile)
  await honest.round(2_000)
  console.log(`on ${storage}, seed ${seed}`)
  if (isSoak) ok = await soak({ world, honest, hostile, minutes, seed })
  else {
    const rounds = { honest, hostile, quietMs: 3_000, loudMs: 3_000 }
    const judge = async (acts: readonly { name: string; force: number }[]) => {
      const isShown = (round: Compared) => holds(round) && arrived(round)
      const compared = await compareFairly(isShown, rounds, acts)
      const wrong = compared.flatMap((round) => round.wrong)
      const good = wrong.length === 0 && compared.some(isShown)
      ok &&= good
      console.log(
        `${good ? 'ok' : 'NOT OK'} ${acts.map(({ name, force }) => `${name} × ${force.toFixed(1)}`).join(' and ')}`,
      )
      for (const line of [...compared.map(described), ...wrong]) console.log(`  ${line}`)
    }
    const end = performance.now() + minutes * 60_000
    if (chosen.length > 0) for (const { name } of chosen) await judge([{ name, force: 1 }])
    else for (let n = 0; performance.now() < end; n += 1) await judge(mixes(seed + n, 1)[0] ?? [])
  }
} finally {
  for (const work of works.splice(0)) await work()
}
process.exit(ok ? 0 : 1)
