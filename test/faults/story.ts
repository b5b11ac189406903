// What a fault is, to the runner and to the tests: which fault, what is expected, and the story that provokes it.

import type { ClusterOptions } from '../support/cluster/cluster.js'
import type { Scene } from './scene/scene.js'

export interface FaultStory {
  /** Its file's name. */
  name: string
  /** Fault numbers of the table in README.md. */
  faults: readonly string[]
  expected: string
  /** Stories with the same options (by identity) may share a cluster. */
  cluster: ClusterOptions
  /** It leaves the cluster in a state that others should not begin with. */
  ownCluster?: boolean
  /** Provokes it and asserts; throws when what is expected does not happen. */
  run(scene: Scene): Promise<Outcome>
}

export interface Outcome {
  /** One line for the table. */
  text: string
  /** From the end of the fault until everything works. */
  recoveryMs?: number
}

/** Three instances with direct ways to Redis and PostgreSQL. */
export const plainCluster: ClusterOptions = {}

/** Three instances, each with fault proxies of its own in its ways to Redis and PostgreSQL. */
export const proxiedCluster: ClusterOptions = { proxied: true }
