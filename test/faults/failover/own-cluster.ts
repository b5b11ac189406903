// A cluster that a story starts for itself, because what it fails over is started before.

import { equal } from 'node:assert/strict'
import { type Cluster, type ClusterOptions, startCluster, type Teardown } from '../../support/cluster/cluster.js'
import { openScene, type Scene } from '../scene/scene.js'
import type { Outcome } from '../story.js'

/** Starts it, runs `story` in a scene of its own, judges, and ends everything. */
export async function onOwnCluster(
  full: boolean,
  prepare: (t: Teardown) => Promise<ClusterOptions>,
  story: (scene: Scene, cluster: Cluster) => Promise<Outcome>,
): Promise<Outcome> {
  const works: (() => unknown)[] = []
  const t = { teardown: (work: () => unknown) => void works.unshift(work) }
  try {
    const cluster = await startCluster(t, await prepare(t))
    const scene = openScene(cluster, full)
    const outcome = await story(scene, cluster)
    const judgements = await scene.finish()
    for (const { invariant, violations } of judgements) {
      equal(violations.length, 0, `${invariant}: ${violations.length} × ${violations.slice(0, 3).join(' | ')}`)
    }
    return { ...outcome, text: `${outcome.text}; ${judgements.map(({ invariant }) => `${invariant} ok`).join(', ')}` }
  } finally {
    for (const work of works) await work()
  }
}
