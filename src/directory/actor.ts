// In whose name something is written, and what must still hold then.

import type { Origin } from '../ledger/ledger.js'
import type { Feed } from '../storage/changes/feed.js'
import type { Statements } from '../storage/sql/store.js'
import type { DirectoryWrites } from './writes.js'

/** A question of the transaction that writes; what it throws ends that one. */
export type Precondition = (tx: Statements) => Promise<unknown>

/** Who acts, and what must still hold of them when it is written. */
export interface Acting extends Origin {
  precondition?: Precondition
}

/**
 * These writes in another name than the operator's: the one place where the collaborators and who acts come together.
 */
export function writesAs<W extends DirectoryWrites>(writes: W, { precondition, ...by }: Acting): W {
  const named = { ...writes, ...by }
  return precondition === undefined ? named : onlyIf(named, precondition)
}

/**
 * These writes, whose every transaction begins with `precondition`, after those that they have already; it is in what
 * commits, so that no way to write goes past it. `committed` is called after each one that was.
 */
export function onlyIf<W extends { feed: Pick<Feed, 'commit'> }>(
  writes: W,
  precondition: Precondition,
  committed?: () => void,
): W {
  const { feed } = writes
  const commit: Feed['commit'] = async (work) => {
    const done = await feed.commit(async (tx, record) => {
      await precondition(tx)
      return work(tx, record)
    })
    committed?.()
    return done
  }
  return { ...writes, feed: { commit } }
}
