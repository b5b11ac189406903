// How the targets of all services stand, as the operator is told of them.

import type { Target } from './target.js'
import type { Upstream } from './upstream.js'

export interface TargetState {
  upstream: string
  /** As the file says it. */
  target: string
  /**
   * Whether it gets requests because it is well: not when its checks find it unwell, or when requests to it fail in a
   * row.
   */
  state: 'up' | 'unwell' | 'failing'
  /** Undefined: it is up. */
  downForMs: number | undefined
  /** How long requests to it have failed in a row, and why the newest did; undefined: the last one was answered. */
  trouble: { forMs: number; cause: string } | undefined
}

/** All targets, in the order of the file. */
export function targetStates(upstreams: ReadonlyMap<string, Upstream>): TargetState[] {
  return [...upstreams.values()].flatMap(statesOf)
}

/** Those of one service. */
export function statesOf(upstream: Upstream): TargetState[] {
  const now = performance.now()
  return upstream.targets.map((target) => {
    const { downSince, trouble } = target.status
    return {
      upstream: upstream.name,
      target: target.label,
      state: stateOf(upstream, target),
      downForMs: downSince === undefined ? undefined : now - downSince,
      trouble: trouble === undefined ? undefined : { forMs: now - trouble.since, cause: trouble.cause },
    }
  })
}

function stateOf({ candidates }: Upstream, target: Target): TargetState['state'] {
  if (candidates.isUp(target)) return 'up'
  return target.status.healthy ? 'failing' : 'unwell'
}
