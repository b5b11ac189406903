// Which targets of a service requests may go to. A target that fails again and again is left out for a while, but never
// so many that the rest is overwhelmed, and never the last one; time alone brings it back. Where checks find none well,
// all are tried: a check can be wrong. A caller can make requests fail, so failures of requests raise a suspicion only,
// and the gate looks for itself: a target that takes no connection is down for everybody, one that takes them and says
// nothing for those who met that, until anybody is answered (decision 0075).

import type { UpstreamSettings } from '../../config/settings/upstream-settings.js'
import { callerKey, type Sender } from './callers.js'
import { createSuspicions } from './suspicions.js'
import type { Target } from './target.js'
import { accuse, acquit } from './target-status.js'

export interface Candidates {
  /** Never empty. */
  list: readonly Target[]
  /** None of them answers, or none takes connections. */
  down: boolean
  /** Whether a target gets requests because it is well, and not for want of another one. */
  isUp(target: Target): boolean
  /** What each request to it is told by. */
  answered(target: Target, status: number, sender: Sender): void
  /** Without a sender there was no connection, which is nobody's doing. */
  failed(target: Target, sender?: Sender): void
  /** What checks found, after enough of them agreed. */
  checked(target: Target, healthy: boolean): void
  /**
   * While it is down: whether a request of this caller is refused. One a second of those that are is let through to
   * see.
   */
  refuses(sender: Sender): boolean
  /** Where a request goes while it is down. */
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
/** So many callers do not fail together by their own doing. */
const enoughAccusers = 3

/** `targets`: at least one. */
export function createCandidates(targets: readonly Target[], { eject, onChange }: CandidatesOptions): Candidates {
  const ends = new Map<Target, NodeJS.Timeout>()
  let nextTrialAt = 0
  let turn = 0
  let anyAccused = false
  const isDown = ({ status }: Target) => status.gone || status.silent
  const settle = () => {
    const well = targets.filter(({ status }) => status.healthy && !status.ejected)
    candidates.list = well.length > 0 ? well : targets
    const wasDown = candidates.down
    candidates.down = candidates.list.every(isDown)
    if (candidates.down && !wasDown) nextTrialAt = performance.now() + trialEveryMs
    for (const target of targets) onChange(target, candidates.isUp(target))
  }
  const restore = (target: Target) => {
    clearTimeout(ends.get(target))
    ends.delete(target)
    target.status.ejected = false
  }
  const leaveOut = (target: Target) => {
    const { status } = target
    status.ejected = true
    const end = () => {
      restore(target)
      // It has to prove itself: the next failure leaves it out again.
      status.failures = eject.failures - 1
      settle()
    }
    ends.set(target, setTimeout(end, eject.forMs).unref())
  }
  const mayLeaveOut = (target: Target) => {
    const most = Math.max(1, Math.floor((targets.length * eject.maxPercent) / 100))
    return !target.status.ejected && ends.size < most && candidates.list.some((other) => other !== target)
  }
  /** The gate has seen it; or other targets serve whom it fails, or, where callers stay at one, fail nobody. */
  const isProven = (target: Target) => {
    const { gone, silent, unconnected, accusers, servedElsewhere } = target.status
    if (gone || silent || unconnected >= eject.failures || servedElsewhere >= eject.failures) return true
    return accusers.size >= enoughAccusers && targets.every((one) => one === target || one.status.accusers.size === 0)
  }
  const isAccused = (target: Target) => target.status.accusers.size > 0
  /** A caller that is answered here and was not at another target says something about that one. */
  const compare = (target: Target, sender: Sender) => {
    const key = callerKey(sender)
    for (const { status } of targets) {
      if (status !== target.status && status.accusers.has(key)) status.servedElsewhere += 1
    }
    anyAccused = targets.some(isAccused)
  }
  const fault = (target: Target) => {
    target.status.failures += 1
    if (eject.failures === 0 || target.status.failures < eject.failures) return
    if (mayLeaveOut(target) && isProven(target)) leaveOut(target)
    settle()
  }
  const cleared = (target: Target) => {
    if (candidates.down) restore(target)
    acquit(target.status)
    settle()
  }
  const suspicions = createSuspicions({
    onSeen(target, seen) {
      if (seen === 'answers') return cleared(target)
      target.status.gone = seen === 'gone'
      target.status.silent = seen === 'silent'
      if (mayLeaveOut(target)) leaveOut(target)
      settle()
    },
    // A request was answered meanwhile, or it was looked at because it was down, and it is not any more.
    isSuspect: ({ status }) => status.gone || status.unanswered >= eject.failures,
  })
  const candidates: Candidates = {
    list: targets,
    down: false,
    isUp: (target) => target.status.healthy && !target.status.ejected && !isDown(target),
    answered(target, statusCode, sender) {
      const { status } = target
      if (statusCode >= 502 && statusCode <= 504) {
        const wasDown = isDown(target)
        status.unanswered = status.unconnected = 0
        status.gone = status.silent = false
        accuse(status, callerKey(sender))
        anyAccused = targets.length > 1
        fault(target)
        if (wasDown) settle()
        return
      }
      if (isDown(target)) cleared(target)
      else if (status.failures !== 0) acquit(status)
      if (anyAccused) compare(target, sender)
    },
    failed(target, sender) {
      const { status } = target
      status.unanswered += 1
      if (sender === undefined) {
        status.unconnected += 1
        if (eject.failures > 0 && status.unconnected >= eject.failures) status.gone = true
      } else {
        accuse(status, callerKey(sender))
        anyAccused = targets.length > 1
      }
      fault(target)
      if (eject.failures > 0 && status.unanswered >= eject.failures) suspicions.raise(target)
    },
    checked(target, healthy) {
      target.status.healthy = healthy
      if (healthy) {
        restore(target)
        acquit(target.status)
      }
      settle()
    },
    refuses(sender) {
      if (!candidates.down) return false
      const open = candidates.list.filter(({ status }) => !status.gone)
      if (open.length === 0) return true
      const key = callerKey(sender)
      if (open.some(({ status }) => !status.accusers.has(key))) return false
      return performance.now() < nextTrialAt
    },
    trial() {
      nextTrialAt = performance.now() + trialEveryMs
      turn += 1
      const open = targets.filter(({ status }) => !status.gone)
      const among = open.length > 0 ? open : targets
      return among[turn % among.length] as Target
    },
    inherit(earlier) {
      for (const target of targets) {
        const known = earlier.find(({ label }) => label === target.label)
        if (known === undefined) continue
        Object.assign(target.status, known.status, { ejected: false })
        if (known.status.ejected && mayLeaveOut(target)) leaveOut(target)
        if (isDown(target)) suspicions.raise(target)
      }
      settle()
    },
    stop() {
      suspicions.stop()
      for (const timer of ends.values()) clearTimeout(timer)
      ends.clear()
    },
  }
  settle()
  return candidates
}
