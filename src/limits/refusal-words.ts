// What a refusal says about the limit that refused: which one, what it allows, and when there is something of it again.

import type { LimitPolicy } from '../config/settings/limit-settings.js'
import { waitSeconds } from './limit-item.js'
import type { LimitDecision } from './limiter.js'

/** The limit with the longest wait, as the body of a 429 has it. */
export interface RefusingLimit {
  name: string
  /** The plan whose limit it is; null: no plan's. */
  plan: string | null
  by: readonly string[]
  kind: 'rate' | 'quota'
  limit: number
  periodSeconds: number
  /** Of a rate: so many at once. */
  burst: number | null
  retryAfterSeconds: number
}

/** Of a refused decision; undefined for one that allowed. */
export function refusingLimit({ policies, states, plan }: LimitDecision): RefusingLimit | undefined {
  let found: RefusingLimit | undefined
  policies.forEach((policy, i) => {
    const state = states[i]
    if (state === undefined || state.allowed) return
    const retryAfterSeconds = waitSeconds(policy, state)
    if (found !== undefined && found.retryAfterSeconds >= retryAfterSeconds) return
    found = { ...limitFacts(policy), plan: policy.plan === true ? (plan ?? null) : null, retryAfterSeconds }
  })
  return found
}

/** The numbers of a limit, in the words of the API. */
export function limitFacts({ name, by, algorithm }: LimitPolicy): Omit<RefusingLimit, 'plan' | 'retryAfterSeconds'> {
  const { kind, limit, periodMs } = algorithm
  return {
    name,
    by: [...by],
    kind,
    limit,
    periodSeconds: periodMs / 1000,
    burst: kind === 'rate' ? algorithm.burst : null,
  }
}

/** One sentence: `The limit posts allows 5 calls per minute and application; try again in 32 s.` */
export function refusalSentence({ name, plan, by, limit, periodSeconds, retryAfterSeconds }: RefusingLimit): string {
  const whose = plan === null ? '' : ` of the plan ${plan}`
  const calls = limit === 1 ? 'call' : 'calls'
  const allowed = `${limit} ${calls} per ${periodWords(periodSeconds)}, counted by ${listed(by)}`
  return `The limit ${name}${whose} allows ${allowed}; try again in ${waitWords(retryAfterSeconds)}.`
}

const units = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const

/** `minute`, `10 seconds`. */
export function periodWords(seconds: number): string {
  const [size, unit] = units.find(([size]) => seconds % size === 0) ?? [1, 'second']
  const count = seconds / size
  return count === 1 ? unit : `${count} ${unit}s`
}

/** Never shorter than it is. */
function waitWords(seconds: number): string {
  if (seconds < 120) return `${seconds} s`
  return seconds < 7_200 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 3_600)} h`
}

function listed(words: readonly string[]): string {
  const [last = '', ...before] = [...words].reverse()
  return before.length === 0 ? last : `${before.reverse().join(', ')} and ${last}`
}
