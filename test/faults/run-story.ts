// Runs one story on a running cluster and says in one row what came of it.

import type { Cluster } from '../support/cluster/cluster.js'
import type { Judgement } from '../support/cluster/invariants.js'
import { openScene } from './scene/scene.js'
import type { FaultStory } from './story.js'

export interface Row {
  story: FaultStory
  outcome: string
  recoveryMs: number | undefined
  judgements: readonly Judgement[]
  /** Why what was expected did not happen; undefined when it did. */
  failure: string | undefined
  ok: boolean
  seconds: number
}

/** Never throws: what a story throws is the row's failure. */
export async function runStory(cluster: Cluster, story: FaultStory, full: boolean): Promise<Row> {
  const started = performance.now()
  const scene = openScene(cluster, full)
  let outcome = ''
  let recoveryMs: number | undefined
  let failure: string | undefined
  try {
    const result = await story.run(scene)
    outcome = result.text
    recoveryMs = result.recoveryMs
  } catch (error) {
    failure = error instanceof Error ? [error.message, error.cause].filter(Boolean).join('; ') : String(error)
    // What it has cut it leaves cut; the next story begins with a whole cluster.
    for (const { redis, store } of cluster.instances) await Promise.all([redis?.heal(), store?.heal()])
  }
  const judgements = await scene.finish()
  const ok = failure === undefined && judgements.every(({ violations }) => violations.length === 0)
  return { story, outcome, recoveryMs, judgements, failure, ok, seconds: (performance.now() - started) / 1000 }
}

const shown = 3

/** A row as lines: the fault, what was expected and seen, the time to recover, and the invariants. */
export function rowText(row: Row): string {
  const { story, judgements, recoveryMs } = row
  const recovery = recoveryMs === undefined ? '-' : `${(recoveryMs / 1000).toFixed(2)} s`
  const held = judgements.map(
    ({ invariant, violations }) => `${invariant} ${violations.length === 0 ? 'ok' : violations.length}`,
  )
  const violated = judgements.flatMap(({ invariant, violations }) =>
    summary(violations).map((line) => `  ${invariant}: ${line}`),
  )
  return [
    `${row.ok ? 'ok    ' : 'FAILED'} ${story.faults.join(' ')} ${story.name} (${row.seconds.toFixed(0)} s)`,
    `  expected:   ${story.expected}`,
    `  outcome:    ${row.failure === undefined ? row.outcome : `NOT AS EXPECTED: ${row.failure}`}`,
    `  recovery:   ${recovery}`,
    `  invariants: ${held.join(', ')}`,
    ...violated,
  ].join('\n')
}

/** The commonest violations, each once, with how often. */
function summary(violations: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const each of violations) counts.set(each, (counts.get(each) ?? 0) + 1)
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, shown)
    .map(([text, count]) => `${count} × ${text}`)
}
