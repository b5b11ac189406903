// The short forms of stories as tests: one cluster for all of a file, one test for each story.

import type { Test } from 'tap'
import { startCluster } from '../support/cluster/cluster.js'
import { rowText, runStory } from './run-story.js'
import type { FaultStory } from './story.js'

/**
 * Ends the process by process.exit once nothing is left to do. Left to itself, Node 20.20 was seen to spin without end
 * while it takes its environment apart, after the last exit handler, when sockets had been reset under it.
 */
function endByExit(): void {
  process.once('beforeExit', () => {
    setImmediate(() => process.once('beforeExit', () => process.exit()))
  })
}

/** Runs them in this order on one cluster, which must be good for all of them. */
export async function testStories(t: Test, stories: readonly FaultStory[]): Promise<void> {
  const [first] = stories
  if (first === undefined) throw new Error('no story')
  endByExit()
  const cluster = await startCluster(t, first.cluster)
  for (const story of stories) {
    await t.test(`${story.faults.join(' ')} ${story.name}: ${story.expected}`, async (t) => {
      const row = await runStory(cluster, story, false)
      t.comment(rowText(row))
      t.equal(row.failure, undefined, 'what is expected was seen')
      for (const { invariant, violations } of row.judgements) t.same([...new Set(violations)], [], `${invariant} holds`)
    })
  }
}
