// The brake on guessing client secrets (K7): failures are counted by (address, client identifier as presented). A
// client that is being attacked from one address stays usable from every other one, and a success is never counted,
// so a flood with somebody's client_id cannot lock its owner out.

import { createHash } from 'node:crypto'
import type { Algorithm, BucketState, Counters } from '../storage/counters/counters.js'
import { addressGroup } from './address-group.js'

export interface FailedAuthenticationState {
  /** True when this address has used up its failures for this client: answer 429 without looking at the secret. */
  blocked: boolean
  /** Whole seconds until it may try again; 0 when not blocked. */
  retryAfterSeconds: number
}

export interface FailedAuthentications {
  /**
   * Asks before a secret is compared. `clientIdentifier` is what the request presented, empty when nothing. Charges
   * nothing.
   */
  check(address: string, clientIdentifier: string): FailedAuthenticationState
  /** Counts one failure. While blocked nothing is added, so waiting always ends (Q7). */
  record(address: string, clientIdentifier: string): void
}

const notBlocked: FailedAuthenticationState = { blocked: false, retryAfterSeconds: 0 }

/**
 * At most `limit` failures per pair in any `periodMs`. `counters` must be in-process ones: guessing is slowed in every
 * instance by itself, without a round trip. `monotonic` gives milliseconds. Memory is bounded by the Counters, and a
 * key is bounded whatever length a client_id has.
 */
export function createFailedAuthentications(options: {
  counters: Counters
  limit: number
  periodMs: number
  monotonic: () => number
}): FailedAuthentications {
  const { counters, monotonic } = options
  const algorithm: Algorithm = { kind: 'quota', limit: options.limit, periodMs: options.periodMs }
  const bucket = (address: string, clientIdentifier: string) => [
    { key: failureKey(address, clientIdentifier), algorithm, cost: 1 },
  ]
  // Until two periods after a failure: no state lasts longer.
  let anyUntil = Number.NEGATIVE_INFINITY
  return {
    check(address, clientIdentifier) {
      if (monotonic() > anyUntil) return notBlocked
      const [state] = settled(counters.peek(bucket(address, clientIdentifier), monotonic()))
      // Without a counter of its own nothing is known about this pair. Refusing it for the failures of others would let
      // an attacker who fills the table lock out every client; the secrets are far beyond guessing.
      if (state === undefined || state.allowed || state.shared === true) return notBlocked
      const waitMs = Math.min(state.retryAfterMs, 2 * options.periodMs)
      return { blocked: true, retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)) }
    },
    record(address, clientIdentifier) {
      anyUntil = monotonic() + 2 * options.periodMs
      settled(counters.take(bucket(address, clientIdentifier), monotonic()))
    },
  }
}

function failureKey(address: string, clientIdentifier: string): string {
  const group = addressGroup(address)
  // Attackers choose the identifier, and so its length; real ones are far below 64 characters.
  const client =
    clientIdentifier.length <= 64
      ? `c${clientIdentifier.length}:${clientIdentifier}`
      : `h${createHash('sha256').update(clientIdentifier).digest('base64url')}`
  return `failures;a${group.length}:${group};${client}`
}

function settled(states: BucketState[] | Promise<BucketState[]>): BucketState[] {
  if (Array.isArray(states)) return states
  throw new Error('failed authentications are counted in this process: they need in-process Counters')
}
