// The same call by the same caller again and again: an agent that is caught in a loop. Nothing is refused for it; it is
// counted, and told once in a while. Of each caller a few calls are remembered, of few callers, for a minute.

import type { TokenPrincipal } from '../../access/principal.js'

/** From so many in a minute on they are repeated. */
export const repeatedFrom = 10
const windowMs = 60_000
/** Of one caller in a minute: who makes more is a program, and has been noticed by then. */
const mostLookedAt = 300
const mostCalls = 8
const mostCallers = 5_000

/** What a call is told apart by. */
export interface RepeatableCall {
  operation: object
  /** Of its name and arguments; not called where nobody would look at it. */
  digest(): string
}

interface Remembered {
  operation: object
  digest: string
  since: number
  count: number
}

interface Caller {
  calls: Remembered[]
  /** When it was told of last. */
  toldAt: number
  /** The minute that its calls are counted in, and how many there were. */
  since: number
  lookedAt: number
  /** Others have taken its place: it begins anew. */
  isForgotten: boolean
}

export interface Repeats {
  /** Gives how often it came within the minute, and whether that is to be told now. `now`: performance.now(). */
  note(principal: TokenPrincipal, call: RepeatableCall, now: number): { count: number; isToTell: boolean }
}

/** Builds it, empty. */
export function createRepeats(): Repeats {
  const callers = new Map<string, Caller>()
  /** The same by token, so that no name is made of a caller at each call. */
  const byToken = new WeakMap<TokenPrincipal, Caller>()
  const callerNamed = (key: string): Caller => {
    const known = callers.get(key)
    if (known !== undefined) return known
    const caller = { calls: [], toldAt: Number.NEGATIVE_INFINITY, since: 0, lookedAt: 0, isForgotten: false }
    callers.set(key, caller)
    if (callers.size <= mostCallers) return caller
    // It may be one that still calls.
    const [[oldest, forgotten] = []] = callers
    if (forgotten !== undefined) forgotten.isForgotten = true
    callers.delete(oldest ?? '')
    return caller
  }
  const callerOf = (principal: TokenPrincipal): Caller => {
    const known = byToken.get(principal)
    if (known?.isForgotten === false) return known
    const caller = callerNamed(`${principal.applicationId} ${principal.kind === 'delegated' ? principal.userId : ''}`)
    byToken.set(principal, caller)
    return caller
  }
  return {
    note(principal, { operation, digest }, now) {
      const caller = callerOf(principal)
      if (now - caller.since > windowMs) Object.assign(caller, { since: now, lookedAt: 0 })
      caller.lookedAt += 1
      if (caller.lookedAt > mostLookedAt) return notLookedAt
      const call = remembered(caller.calls, { operation, digest: digest() }, now)
      if (now - call.since > windowMs) Object.assign(call, { since: now, count: 0 })
      call.count += 1
      const isToTell = call.count >= repeatedFrom && now - caller.toldAt > windowMs
      if (isToTell) caller.toldAt = now
      return { count: call.count, isToTell }
    },
  }
}

const notLookedAt = { count: 0, isToTell: false }

/** The call among those of its caller; a new one takes the place of the oldest. */
function remembered(
  calls: Remembered[],
  { operation, digest }: Pick<Remembered, 'operation' | 'digest'>,
  now: number,
): Remembered {
  const known = calls.find((one) => one.digest === digest && one.operation === operation)
  if (known !== undefined) return known
  const made = { operation, digest, since: now, count: 0 }
  if (calls.length < mostCalls) calls.push(made)
  else {
    const oldest = calls.reduce((least, one) => (one.since < least.since ? one : least))
    calls[calls.indexOf(oldest)] = made
  }
  return made
}
