// The Store: SQL that must not lose anything or do anything twice. This file says what a Store is; sqlite.ts is one,
// postgresql.ts the other.
//
// The folder owns the tables (tables.ts lists all), their migrations (migrations.ts), and the queries, a file for each
// aggregate; only here is SQL written. It knows no HTTP, no cache and no rule of the protocol: who may change what is
// decided above, and what others cache is written through the Feed (../feed), which tells them. The promises below are
// tests in test/contract/store.ts, for every engine.

import type { Kysely } from 'kysely'
import type { Tables } from './rows/tables.js'

/** Runs statements: outside a transaction it reads what is committed; inside one it is that transaction. */
export type Statements = Kysely<Tables>

/**
 * How a transaction is kept apart from others that write at the same time. SQLite has one writer, which keeps both.
 * `serializable`: as if they had run one after the other; a transaction that cannot have that is rolled back and runs
 * again. `first-lock`: the first statement locks a row that all of its kind lock first (as lockHead does), and each
 * later one sees all that was committed before it. They wait instead of running again, but only for others of their
 * kind.
 */
export type Separation = 'serializable' | 'first-lock'

export interface Store {
  readonly kind: 'sqlite' | 'postgresql'
  /** Committed data, each statement by itself. Never write through it. */
  readonly reader: Statements
  /**
   * One writing transaction (SQLite: `begin immediate`), committed durably before the promise resolves and rolled back
   * when `work` throws. Busy and serialization failures are retried for a bounded time with jitter, so `work` may run
   * more than once: it awaits nothing but SQL and has no other effect. `separation` is `serializable` unless given.
   * Throws StoreUnavailable when it cannot be done now; when the answer to the commit was lost, all of it may have been
   * written nevertheless.
   */
  transaction<T>(work: (tx: Statements) => Promise<T>, separation?: Separation): Promise<T>
  /** Several reads of one consistent state. Throws StoreUnavailable. */
  snapshot<T>(work: (tx: Statements) => Promise<T>): Promise<T>
  /** Resolves when the Store answers. Throws StoreUnavailable. */
  check(): Promise<void>
  close(): Promise<void>
}

/**
 * The Store cannot answer now (locked too long, disk full, connection lost). Becomes 503 with Retry-After at every
 * edge.
 */
export class StoreUnavailable extends Error {
  readonly code = 'store_unavailable'
}

/** It answers, and cannot write: its disk is full, read-only or fails. */
export class NotWritable extends StoreUnavailable {}

/** Text that the engines would not keep alike: with a NUL or an unpaired surrogate. Edges answer it with 400. */
export class InvalidText extends Error {
  readonly code = 'invalid_text'
}

/** Another row has this key already. Inside a transaction everything of that transaction is undone. */
export class UniqueViolation extends Error {
  readonly code = 'unique_violation'
}
