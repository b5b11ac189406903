// What a response says about limits: RateLimit-Policy and RateLimit as Lists of Items with parameters (structured
// fields, RFC 9651; draft-ietf-httpapi-ratelimit-headers-10 §3, §4) and Retry-After (RFC 9110 §10.2.3). No partition
// key is sent: decision 0035 says why.

import type { LimitPolicy } from '../config/settings/limit-settings.js'
import type { BucketState } from '../storage/counters/counters.js'
import { limitItem, waitSeconds } from './limit-item.js'
import type { LimitDecision } from './limiter.js'

/**
 * The response fields of a decision as [name, value] pairs; none when no policy applied. An allowed request hears
 * about the policy that is nearest to its end, a refused one about every policy that refused, and when to come back.
 */
export function limitHeaders(decision: LimitDecision): readonly [string, string][] {
  const { policies, states } = decision
  if (policies.length === 0) return []
  const policy: [string, string] = ['RateLimit-Policy', decision.policyField]
  if (decision.allowed) {
    const i = tightest(policies, states)
    return [policy, ['RateLimit', limitItem(policies[i] as LimitPolicy, states[i] as BucketState)]]
  }
  const refused = policies.flatMap((each, i) => {
    const state = states[i] as BucketState
    return state.allowed ? [] : [limitItem(each, state)]
  })
  return [policy, ['RateLimit', refused.join(', ')], ['Retry-After', String(retryAfterSeconds(decision))]]
}

const none: readonly string[] = []

/** The fields of an allowed request as a flat name, value list, which is what a proxied answer is written from. */
export function allowedFields(decision: LimitDecision): readonly string[] {
  const { policies, states } = decision
  if (policies.length === 0) return none
  const i = tightest(policies, states)
  const item = limitItem(policies[i] as LimitPolicy, states[i] as BucketState)
  return ['RateLimit-Policy', decision.policyField, 'RateLimit', item]
}

/** Whole seconds until the same request could be allowed; 0 for an allowed one, at least 1 for a refused one. */
export function retryAfterSeconds(decision: LimitDecision): number {
  let seconds = 0
  decision.states.forEach((state, i) => {
    if (!state.allowed) seconds = Math.max(seconds, waitSeconds(decision.policies[i] as LimitPolicy, state))
  })
  return seconds
}

/** The policy whose remaining share of what could be taken at once is smallest. */
function tightest(policies: readonly LimitPolicy[], states: readonly BucketState[]): number {
  let found = 0
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < policies.length; i += 1) {
    const { algorithm } = policies[i] as LimitPolicy
    const share = (states[i] as BucketState).remaining / (algorithm.kind === 'rate' ? algorithm.burst : algorithm.limit)
    if (share < least) {
      least = share
      found = i
    }
  }
  return found
}
