// `npm run faults [-- names]`: provokes every fault, or those whose name or number is given, and ends with 1 when
// something was not as expected or an invariant did not hold. `--quick` takes the short forms that run with the tests.

import { type Cluster, startCluster } from '../support/cluster/cluster.js'
import { type Row, rowText, runStory } from './run-story.js'
import { stories } from './stories.js'
import type { FaultStory } from './story.js'

interface Running {
  cluster: Cluster
  of: FaultStory['cluster']
  end(): Promise<void>
}

// Every server of a cluster has one, so that nothing outlives this process.
process.setMaxListeners(50)
const words = process.argv.slice(2)
const full = !words.includes('--quick')
const names = words.filter((word) => !word.startsWith('--'))
const chosen = stories.filter(
  ({ name, faults }) => names.length === 0 || names.some((word) => name === word || faults.includes(word)),
)
if (chosen.length === 0) throw new Error(`no such fault; there are: ${stories.map(({ name }) => name).join(', ')}`)

/** A cluster that ends on command, and not with a test. */
async function open(options: FaultStory['cluster']): Promise<Running> {
  const works: (() => unknown)[] = []
  const end = async (): Promise<void> => {
    for (const work of works.splice(0)) await work()
  }
  try {
    const cluster = await startCluster({ teardown: (work) => void works.unshift(work) }, options)
    return { cluster, of: options, end }
  } catch (error) {
    await end()
    throw error
  }
}

const rows: Row[] = []
let running: Running | undefined
for (const story of chosen) {
  if (running !== undefined && (running.of !== story.cluster || story.ownCluster === true)) {
    await running.end()
    running = undefined
  }
  running ??= await open(story.cluster)
  const row = await runStory(running.cluster, story, full)
  rows.push(row)
  console.log(`${rowText(row)}\n`)
  if (row.ok && story.ownCluster !== true) continue
  // What failed may have left anything behind.
  await running.end()
  running = undefined
}
await running?.end()

const failed = rows.filter(({ ok }) => !ok)
for (const { story } of failed) console.log(`failed: ${story.name}`)
console.log(`${rows.length - failed.length} faults survived, ${failed.length} not`)
process.exit(failed.length === 0 ? 0 : 1)
