// The outer guard: requests per address, before anything else is looked at. @fastify/rate-limit refuses; the counting
// is ours, because its own store is a least-recently-used list that spraying addresses empties (Q6) with a fixed window
// that lets twice the limit through at its edge (Q1).

import rateLimit from '@fastify/rate-limit'
import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify'
import type { LimitPolicy } from '../config/settings/limit-settings.js'
import { requestContext } from '../http/requests/request-context.js'
import type { Algorithm, Bucket, BucketState, Counters } from '../storage/counters/counters.js'
import { addressGroup } from './address-group.js'
import { limitHeaders, retryAfterSeconds } from './headers.js'
import { policyItem } from './limit-item.js'

/** What the guard's refusal says, for the room that writes it: status 429 and these fields. */
export interface AddressRefusal {
  retryAfterSeconds: number
  headers: readonly [string, string][]
}

export interface AddressGuardOptions {
  counters: Counters
  /** Requests per address group in any `periodMs`. */
  guard: { limit: number; periodMs: number }
  /** Milliseconds of a clock that never goes back. */
  monotonic: () => number
  /** Makes the error that is thrown: each room's own family, which its own error handler writes. */
  refuse: (request: FastifyRequest, refusal: AddressRefusal) => Error
  /** Called for each refusal, for the metric. */
  onRefused?: () => void
  /** The peer's address; the request context's unless a test says otherwise. */
  addressOf?: (request: FastifyRequest) => string
}

// One name for all scopes: an address has one budget, wherever it knocks.
const policyName = 'address-guard'

/** Addresses whose bucket is remembered. */
const mostKnown = 2_000

/**
 * Registers the guard on `scope`: every route added to it after this call is guarded in onRequest. Await it before
 * adding routes. For unmatched requests give `scope.rateLimit()` to setNotFoundHandler as a preHandler.
 */
export async function registerAddressGuard(scope: FastifyInstance, options: AddressGuardOptions): Promise<void> {
  const { counters, guard, monotonic, refuse, onRefused } = options
  const addressOf = options.addressOf ?? ((request: FastifyRequest) => requestContext(request).address)
  const algorithm: Algorithm = { kind: 'quota', limit: guard.limit, periodMs: guard.periodMs }
  const off = { 'x-ratelimit-limit': false, 'x-ratelimit-remaining': false, 'x-ratelimit-reset': false }
  const store = countersStore(counters, algorithm, monotonic)
  const keyOf = (request: FastifyRequest) => addressGroup(addressOf(request))
  await scope.register(rateLimit, {
    global: false,
    max: guard.limit,
    timeWindow: guard.periodMs,
    store,
    keyGenerator: keyOf,
    // Its headers are the dialect of 2021 (Q8); ours are in the refusal.
    addHeaders: { ...off, 'retry-after': false },
    addHeadersOnExceeding: off,
    errorResponseBuilder: (request, { ttl }) => {
      onRefused?.()
      return refuse(request, refusal(algorithm, ttl))
    },
  })
  const guardRoute = countFirst(new store(), keyOf, scope.rateLimit() as onRequestHookHandler)
  scope.addHook('onRoute', (route) => {
    route.onRequest = [...[route.onRequest ?? []].flat(), guardRoute]
  })
}

/**
 * The hook of every guarded route. The package's own waits for three promises on each request; so it is called only
 * when there is nothing left to take, which charges nothing, so that it finds the same and refuses.
 */
function countFirst(
  store: InstanceType<ReturnType<typeof countersStore>>,
  keyOf: (request: FastifyRequest) => string,
  refuseByPackage: onRequestHookHandler,
): onRequestHookHandler {
  return function guardAddress(request, reply, done) {
    store.incr(keyOf(request), (_error, result) => {
      if (result?.allowed === true) done()
      else (refuseByPackage.call(this, request, reply, done) as unknown as Promise<void>).then(() => done(), done)
    })
  }
}

/** The package's store interface over our Counters. A class, because the package calls `new`. */
function countersStore(counters: Counters, algorithm: Algorithm, monotonic: () => number) {
  type Done = (error: Error | null, result?: { current: number; ttl: number; allowed: boolean }) => void
  const answer = (state: BucketState | undefined, done: Done) => {
    if (state === undefined) return done(new Error('the Counters gave no answer'))
    // The package refuses when `current` is over the limit.
    if (!state.allowed) return done(null, { current: algorithm.limit + 1, ttl: state.retryAfterMs, allowed: false })
    return done(null, { current: algorithm.limit - state.remaining, ttl: state.resetMs, allowed: true })
  }
  const known = new Map<string, readonly Bucket[]>()
  const bucketsOf = (address: string): readonly Bucket[] => {
    const before = known.get(address)
    if (before !== undefined) return before
    const buckets = [{ key: `guard;a${address.length}:${address}`, algorithm, cost: 1 }]
    // A client with many addresses must not fill the memory with their keys.
    if (known.size >= mostKnown) known.clear()
    known.set(address, buckets)
    return buckets
  }
  return class CountersStore {
    incr(key: string, done: Done): void {
      const states = counters.take(bucketsOf(key), monotonic())
      if (Array.isArray(states)) answer(states[0], done)
      else states.then(([state]) => answer(state, done), done)
    }

    child(): CountersStore {
      return this
    }
  }
}

function refusal(algorithm: Algorithm, retryAfterMs: number): AddressRefusal {
  const policy: LimitPolicy = { name: policyName, by: ['address'], algorithm }
  const states = [{ allowed: false, remaining: 0, resetMs: retryAfterMs, retryAfterMs }]
  const decision = { allowed: false, policies: [policy], states, policyField: policyItem(policy) }
  return { retryAfterSeconds: retryAfterSeconds(decision), headers: limitHeaders(decision) }
}
