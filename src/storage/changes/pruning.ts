// Keeps the change log short. A follower that needs a number which is gone loads everything anew, so a row may go as
// soon as instances that were away that long are rare; what must outlive it stands in tables of its own.

import { pruneChanges } from '../sql/cluster/change-log.js'
import type { Store } from '../sql/store.js'

export interface PruningOptions {
  store: Store
  now: () => number
  monotonic: () => number
}

/** The longest token life (24 h) and room for clocks that disagree. */
const KEPT_MS = 26 * 60 * 60 * 1000
/** Rows a transaction: a long history does not hold the write lock long. */
const BATCH = 500
const EVERY_MS = 10 * 60 * 1000

/**
 * Returns the function that a poll calls. Every ten minutes, and while the last batch was full on each call, it deletes
 * one batch of changes older than 26 hours. Throws StoreUnavailable.
 */
export function createPruning(options: PruningOptions): () => Promise<void> {
  let nextAt = options.monotonic()
  return async () => {
    if (options.monotonic() < nextAt) return
    const before = options.now() - KEPT_MS
    const deleted = await options.store.transaction((tx) => pruneChanges(tx, before, BATCH))
    if (deleted < BATCH) nextAt = options.monotonic() + EVERY_MS
  }
}
