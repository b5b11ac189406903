// `npm run attack -- privileges`: the random calls of privileges.test.ts for longer, or with mistakes put back;
// README.md says more.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openManagement } from '../support/rooms/management.js'
import { threePlans } from '../support/settings/plan-rules.js'
import { attack } from './attack.js'
import { holes, withHole } from './holes.js'
import { openWorld } from './world.js'

const words = process.argv.slice(2).filter((word) => word !== 'privileges')
const option = (name: string, otherwise: number) => {
  const at = words.indexOf(`--${name}`)
  return at === -1 ? otherwise : Number(words[at + 1])
}
const calls = option('calls', 100_000)
/** For a machine that has no more time. */
const end = option('minutes', 600) * 60_000
const seed = option('seed', Date.now() % 1_000_000)

process.exitCode = words.includes('--holes') ? await findHoles() : await run()

async function run(): Promise<number> {
  const works: (() => unknown)[] = []
  const folder = mkdtempSync(join(tmpdir(), 'portcullis-privileges-'))
  const test = { testdir: () => folder, teardown: (work: () => unknown) => void works.unshift(work) }
  const world = await openWorld(await openManagement(test, { plans: threePlans }))
  const report = await attack(world, { seed, calls, most: option('most', 10), until: () => performance.now() > end })
  for (const work of works) await work()
  rmSync(folder, { recursive: true, force: true })
  for (const problem of report.disagreements) console.log(problem)
  console.log(`--seed ${seed}: ${report.calls} calls, ${JSON.stringify(report.answers)}`)
  console.log(`${report.disagreements.length} disagreements`)
  return report.disagreements.length === 0 ? 0 : 1
}

/** Each mistake has to be found; 0 when all are. */
async function findHoles(): Promise<number> {
  let missed = 0
  for (const hole of holes) {
    const { isFound, said } = withHole(hole, [
      '--calls',
      String(Math.min(calls, 25_000)),
      '--seed',
      String(seed),
      '--most',
      '1',
    ])
    console.log(`${hole.name}: ${isFound ? 'found' : 'NOT FOUND'}\n  ${said}`)
    if (!isFound) missed += 1
  }
  return missed === 0 ? 0 : 1
}
