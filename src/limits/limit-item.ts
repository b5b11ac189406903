// One limit policy, and what is left of it, as Items of structured fields (RFC 9651 §3.3, §4.1.3). Policy names are
// Strings, numbers are non-negative Integers, as draft-ietf-httpapi-ratelimit-headers-10 §3.1 and §4.1 want them.

import type { LimitPolicy } from '../config/settings/limit-settings.js'
import type { BucketState } from '../storage/counters/counters.js'

// The largest Integer of RFC 9651 §3.3.1.
const mostInteger = 999_999_999_999_999

/** One policy as an Item of RateLimit-Policy, such as `"app";q=600;w=60;portcullis-burst=100`. */
export function policyItem(policy: LimitPolicy): string {
  const { algorithm } = policy
  // `w` counts whole seconds and is optional: a policy with another period says nothing instead of something wrong.
  const window = algorithm.periodMs % 1000 === 0 ? `;w=${integer(algorithm.periodMs / 1000)}` : ''
  const burst = algorithm.kind === 'rate' ? `;portcullis-burst=${integer(algorithm.burst)}` : ''
  return `${sfString(policy.name)};q=${integer(algorithm.limit)}${window}${burst}`
}

/** What is left of a policy as an Item of RateLimit, such as `"app";r=412;t=17`; seconds rounded up. */
export function limitItem(policy: LimitPolicy, state: BucketState): string {
  // A refused policy's reset names the same moment as Retry-After (draft §5).
  const seconds = state.allowed ? Math.ceil(state.resetMs / 1000) : waitSeconds(policy, state)
  return `${nameItem(policy)};r=${integer(state.allowed ? state.remaining : 0)};t=${integer(seconds)}`
}

/** Whole seconds until a refused request could be allowed by this policy; at least 1. */
export function waitSeconds(policy: LimitPolicy, state: BucketState): number {
  // Two periods is the longest wait that either algorithm can mean; a policy of nothing would say forever (Q7).
  return Math.max(1, Math.ceil(Math.min(state.retryAfterMs, 2 * policy.algorithm.periodMs) / 1000))
}

/** The name as a String, written once for each policy: it stands in every answer. */
const writtenNames = new WeakMap<LimitPolicy, string>()

function nameItem(policy: LimitPolicy): string {
  const known = writtenNames.get(policy)
  if (known !== undefined) return known
  const written = sfString(policy.name)
  writtenNames.set(policy, written)
  return written
}

function integer(value: number): string {
  return String(Math.min(mostInteger, Math.max(0, Math.trunc(value))))
}

function sfString(value: string): string {
  if (!/^[\x20-\x7e]*$/.test(value))
    throw new Error(`a limit policy's name must be printable ASCII: ${JSON.stringify(value)}`)
  return `"${value.replace(/[\\"]/g, '\\$&')}"`
}
