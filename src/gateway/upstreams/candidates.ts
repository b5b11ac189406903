// Which targets of a service requests may go to. A target that fails again and again is left out for a while, but never so
// many that the rest is overwhelmed, and never the last one; time alone brings it back. Where checks find none well, all
// are tried: a check can be wrong. When none of those that may be tried answers, the service is down: one request a second
// is let through to see, and the first answer ends it (decision 0075).

import type { UpstreamSettings } from '../../config/upstream-settings.js'
import type { Target } from './target.js'

export interface Candidates {
  /** Never empty. */
  list: readonly Target[]
  /** None of them answers. */
  down: boolean
  /** Whether a target gets requests because it is well, and not for want of another one. */
  isUp(target: Target): boolean
  /** What each request to it is told by. */
  answered(target: Target, status: number): void
  failed(target: Target): void
  /** What checks found, after enough of them agreed. */
  checked(target: Target, healthy: boolean): void
  /** While it is down: whether it is time to look, and where. */
  mayTry(): boolean
  trial(): Target
  /** How each target stands, taken over from the candidates of an earlier configuration. */
  inherit(earlier: readonly Target[]): void
  stop(): void
}

export interface CandidatesOptions {
  eject: UpstreamSettings['eject']
  /** Told of all targets whenever one of them may have changed. */
  onChange(target: Target, isUp: boolean): void
}

const trialEveryMs = 1_000

/** `targets`: at least one. */
export function createCandidates(targets: readonly Target[], { eject, onChange }: CandidatesOptions): Candidates {
  const ends = new Map<Target, NodeJS.Timeout>()
  let nextTrialAt = 0
  let turn = 0
  const isSilent = ({ standing }: Target) => eject.failures > 0 && standing.unanswered >= eject.failures
  const settle = () => {
    const well = targets.filter(({ standing }) => standing.healthy && !standing.ejected)
    candidates.list = well.length > 0 ? well : targets
    const wasDown = candidates.down
    candidates.down = candidates.list.every(isSilent)
    if (candidates.down && !wasDown) nextTrialAt = performance.now() + trialEveryMs
    for (const target of targets) onChange(target, candidates.isUp(target))
  }
  const restore = (target: Target) => {
    clearTimeout(ends.get(target))
    ends.delete(target)
    target.standing.ejected = false
  }
  const leaveOut = (target: Target) => {
    const { standing } = target
    standing.ejected = true
    const end = () => {
      restore(target)
      // It has to prove itself: the next failure leaves it out again.
      standing.failures = eject.failures - 1
      settle()
    }
    ends.set(target, setTimeout(end, eject.forMs).unref())
  }
  const mayLeaveOut = (target: Target) => {
    const most = Math.max(1, Math.floor((targets.length * eject.maxPercent) / 100))
    return !target.standing.ejected && ends.size < most && candidates.list.some((other) => other !== target)
  }
  const fault = (target: Target) => {
    target.standing.failures += 1
    if (eject.failures === 0 || target.standing.failures < eject.failures) return
    if (mayLeaveOut(target)) leaveOut(target)
    settle()
  }
  const candidates: Candidates = {
    list: targets,
    down: false,
    isUp: (target) => target.standing.healthy && !target.standing.ejected && !isSilent(target),
    answered(target, status) {
      const { standing } = target
      if (status >= 502 && status <= 504) {
        standing.unanswered = 0
        fault(target)
      } else if (standing.failures !== 0) {
        const wasSilent = isSilent(target)
        standing.failures = 0
        standing.unanswered = 0
        if (candidates.down) restore(target)
        if (wasSilent) settle()
      }
    },
    failed(target) {
      target.standing.unanswered += 1
      fault(target)
    },
    checked(target, healthy) {
      target.standing.healthy = healthy
      if (healthy) {
        restore(target)
        target.standing.failures = 0
        target.standing.unanswered = 0
      }
      settle()
    },
    mayTry: () => performance.now() >= nextTrialAt,
    trial() {
      nextTrialAt = performance.now() + trialEveryMs
      turn += 1
      return targets[turn % targets.length] as Target
    },
    inherit(earlier) {
      for (const target of targets) {
        const known = earlier.find(({ label }) => label === target.label)
        if (known === undefined) continue
        Object.assign(target.standing, known.standing, { ejected: false })
        if (known.standing.ejected && mayLeaveOut(target)) leaveOut(target)
      }
      settle()
    },
    stop() {
      for (const timer of ends.values()) clearTimeout(timer)
      ends.clear()
    },
  }
  settle()
  return candidates
}
