// A reload makes every algorithm anew; what counts is whether its numbers are the same.

import type { Algorithm } from './counters.js'

/** True when both limit alike. */
export function isSameAlgorithm(one: Algorithm, other: Algorithm): boolean {
  if (one === other) return true
  if (one.limit !== other.limit || one.periodMs !== other.periodMs) return false
  return one.kind === 'rate' ? other.kind === 'rate' && one.burst === other.burst : other.kind === 'quota'
}
