// The Feed: the ordered, numbered change log that every instance follows. This file says what a Feed is.

import type { Static } from 'typebox'
import type { Statements } from '../sql/store.js'
import type { ChangeEntry as ChangeEntrySchema, RevocationKind as RevocationKindSchema } from './change-entry.js'

/** What a revocation can name. */
export type RevocationKind = Static<typeof RevocationKindSchema>

/** What a change says; change-entry.ts has the kinds and what they mean. */
export type ChangeEntry = Static<typeof ChangeEntrySchema>

export interface Change {
  seq: number
  /** Epoch ms, for people; nothing decides on it. */
  at: number
  entry: ChangeEntry
}

/** Keeps something in memory that the change log describes. */
export interface Follower {
  readonly name: string
  /** Reads the whole state anew, as of one consistent snapshot. Called at the start, and after a gap in the numbers. */
  load(snapshot: Statements): Promise<void>
  /** Takes the next change. Numbers are contiguous; none comes twice. */
  apply(change: Change): void | Promise<void>
}

export interface Feed {
  /** Before start(). Followers hear of a change in the order in which they were added. */
  follow(follower: Follower): void
  /** Loads every follower from one snapshot, then follows. Throws StoreUnavailable. */
  start(): Promise<void>
  /**
   * The only way to write what others cache: one Store transaction, in which `record` numbers an entry. Resolves after
   * the commit is durable, every follower of this instance has applied it, and, where there are other instances, those
   * have it within a second or refuse by themselves (shared-feed.ts). `work` may run again after a conflict. `record`
   * returns the number that its entry will have, so that a row can hold it. The answer's `seq` is that of the last
   * entry, or, when nothing was recorded, the newest one before this transaction. Throws StoreUnavailable: mostly
   * nothing was written then; after a lost answer, or when others could not be told in time, it may have been. Callers
   * answer 503, and a client that repeats must be ready to find it done.
   */
  commit<T>(
    work: (tx: Statements, record: (entry: ChangeEntry) => number) => Promise<T>,
  ): Promise<{ result: T; seq: number }>
  /** The newest number applied here. What a token's `seq` claim is taken from. */
  readonly seq: number
  /** Milliseconds by a monotonic clock since this instance last knew that it had every change. */
  ageMs(): number
  /** Resolves when every change committed before the call has been applied here. Throws StoreUnavailable. */
  catchUp(): Promise<void>
  stop(): Promise<void>
}
