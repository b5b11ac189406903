// A cluster that a story starts for itself, because what it fails over is started before.

import { equal } from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import { startTraffic } from '../../support/cluster/checking-client.js'
import { type Cluster, type ClusterOptions, startCluster, type Teardown } from '../../support/cluster/cluster.js'
import { newCast } from '../scene/provision.js'
import { openScene, type Scene } from '../scene/scene.js'
import type { Outcome } from '../story.js'

const warmUp = { perSecond: 440, ms: 5_000 }

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
    await warm(cluster)
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

/** Calls as many as in the story: what a program takes at its first load is not what a failover leaves behind (I6). */
async function warm(cluster: Cluster): Promise<void> {
  const targets = cluster.instances.map(({ name, port }) => ({ via: name, port }))
  const { next } = await newCast(cluster.instances)
  const traffic = startTraffic({ targets, perSecond: warmUp.perSecond, mostWaiting: warmUp.perSecond, next })
  await wait(warmUp.ms)
  await traffic.stop()
}
