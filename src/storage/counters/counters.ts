// The Counters: small shared numbers with a lifetime. This file says what Counters are; in-process.ts is one for a
// single process, redis-counters.ts one that several share.

/**
 * `rate`: GCRA; `limit` per `periodMs` in the long run, at most `burst` at once, never more than burst + limit in one
 * period. `quota`: sliding window; at most `limit` in any `periodMs`, wherever it begins. Units may count a little
 * longer than `periodMs` (quota.ts: by a thirtieth), never shorter.
 */
export type Algorithm =
  | { kind: 'rate'; limit: number; periodMs: number; burst: number }
  | { kind: 'quota'; limit: number; periodMs: number }

/**
 * How several instances share a bucket (decision 45). `strict`: one round trip for each decision, exact. `leased`:
 * units are taken ahead and spent here; never over the limit, a little below it at most. `local`: each instance counts
 * its own share and asks nobody.
 */
export type CountingMode = 'strict' | 'leased' | 'local'

/** What decides a strict or leased bucket while Redis does not: this instance's share, a 503, or nobody. */
export type WhenDown = 'local' | 'refuse' | 'pass'

export interface Bucket {
  /** Unambiguous: made of a policy name and a length-delimited subject, never plain concatenation. See keys.ts. */
  key: string
  algorithm: Algorithm
  /** How many units this request takes; 1 for most. */
  cost: number
  /** `local` when absent. Counters of one process count every bucket exactly, whatever this says. */
  mode?: CountingMode
  /** `local` when absent. */
  onDown?: WhenDown
}

/**
 * The shared numbers cannot be had now, and a bucket of the request must not be decided without them (`onDown:
 * refuse`). Becomes 503 with Retry-After at every edge. Says nothing of where the numbers are.
 */
export class CountersUnavailable extends Error {
  readonly code = 'counters_unavailable'
}

export interface BucketState {
  allowed: boolean
  /** Whole units that could be taken right now, after this decision. */
  remaining: number
  /** Milliseconds until `remaining` is back at its maximum (rate) or grows (quota). */
  resetMs: number
  /** Milliseconds until the same request could be allowed; 0 when allowed, infinite when its cost can never fit. */
  retryAfterMs: number
  /** True when there was no room for this key and it was counted together with others, so the state may be theirs. */
  shared?: true
}

export interface Counters {
  /**
   * Decides all buckets of a request together: all are charged, or none is. `states[i]` belongs to `buckets[i]`; in a
   * refusal the buckets that would have allowed say so. `nowMs` is monotonic milliseconds.
   * Synchronous where the numbers are in this process, so that the hot path need not wait. Throws CountersUnavailable,
   * or rejects with it.
   */
  take(buckets: readonly Bucket[], nowMs: number): BucketState[] | Promise<BucketState[]>
  /** The same answer without charging anything. Throws or rejects as `take` does. */
  peek(buckets: readonly Bucket[], nowMs: number): BucketState[] | Promise<BucketState[]>
  close(): Promise<void>
}
