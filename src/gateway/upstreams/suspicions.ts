// Targets that seem to be down, and the gate's own looks at them: at once when the suspicion comes up, then once a
// second for as long as it stands, one look at a time.

import type { Target } from './target.js'
import type { ProbeResult } from './target-probe.js'

export interface Suspicions {
  /** Looks at it, if that is not happening already. */
  raise(target: Target): void
  stop(): void
}

export interface SuspicionsOptions {
  /** Hears what a look found, unless the suspicion has ended meanwhile. */
  onSeen(target: Target, seen: ProbeResult): void
  isSuspect(target: Target): boolean
}

const againMs = 1_000

/** Nothing happens before the first suspicion. */
export function createSuspicions({ onSeen, isSuspect }: SuspicionsOptions): Suspicions {
  const looking = new Map<Target, NodeJS.Timeout | undefined>()
  let stopped = false
  const look = async (target: Target) => {
    looking.set(target, undefined)
    const result = await target.look()
    if (stopped) return
    if (isSuspect(target)) onSeen(target, result)
    // Whatever it found, the next one is a second away: nobody can make the gate look more often.
    looking.set(target, setTimeout(() => void again(target), againMs).unref())
  }
  const again = async (target: Target) => {
    if (isSuspect(target)) await look(target)
    else looking.delete(target)
  }
  return {
    raise(target) {
      if (!stopped && !looking.has(target)) void look(target)
    },
    stop() {
      stopped = true
      for (const timer of looking.values()) clearTimeout(timer)
      looking.clear()
    },
  }
}
