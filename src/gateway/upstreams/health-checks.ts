// Checking targets. Every target is checked for as long as its service is configured, well or not, so that none is
// forgotten; one answer decides nothing, several in a row do.

import type { UpstreamSettings } from '../../config/settings/upstream-settings.js'
import type { Target } from './target.js'

export interface HealthChecks {
  stop(): void
}

export interface HealthChecksOptions {
  health: NonNullable<UpstreamSettings['health']>
  /** Called when so many answers in a row said something new. */
  onVerdict(target: Target, healthy: boolean): void
}

/** The longest that a first check waits: instances that start together do not ask together. */
const firstWithinMs = 1_000

/**
 * Begins; `stop` ends it at once. A check is a GET on a connection of its own, so a full pool does not look like an
 * illness.
 */
export function startHealthChecks(targets: readonly Target[], options: HealthChecksOptions): HealthChecks {
  const stops = targets.map((target) => watch(target, options))
  return {
    stop() {
      for (const stop of stops) stop()
    },
  }
}

function watch(target: Target, { health, onVerdict }: HealthChecksOptions): () => void {
  let against = 0
  let timer: NodeJS.Timeout
  let stopped = false
  let current = new AbortController()
  const check = async () => {
    const startedAt = performance.now()
    current = new AbortController()
    timer = setTimeout(() => current.abort(), health.timeoutMs).unref()
    const isWell = await target.probe(health, current.signal)
    clearTimeout(timer)
    if (stopped) return
    against = isWell === target.status.healthy ? 0 : against + 1
    if (against >= (isWell ? health.healthy : health.unhealthy)) {
      against = 0
      onVerdict(target, isWell)
    }
    schedule(Math.max(0, health.everyMs - (performance.now() - startedAt)))
  }
  const schedule = (ms: number) => {
    timer = setTimeout(() => void check(), ms).unref()
  }
  schedule(Math.random() * Math.min(firstWithinMs, health.everyMs))
  return () => {
    stopped = true
    clearTimeout(timer)
    current.abort()
  }
}
