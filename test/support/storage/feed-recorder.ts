// Followers that remember what they heard, and a feed whose clocks a test moves.

import type { Change, Feed, Follower } from '../../../src/storage/changes/feed.js'
import { readHead } from '../../../src/storage/sql/cluster/changes.js'

export interface Recorder extends Follower {
  /** `load 7` for a load at number 7, and the numbers of the changes, in the order heard. */
  readonly heard: readonly (string | number)[]
  readonly changes: readonly Change[]
  /** What `apply` does before it remembers: wait, or throw. */
  onApply: (change: Change) => void | Promise<void>
  onLoad: () => void | Promise<void>
}

/** A follower with a memory. */
export function createRecorder(name = 'recorder'): Recorder {
  const heard: (string | number)[] = []
  const changes: Change[] = []
  const recorder: Recorder = {
    name,
    heard,
    changes,
    onApply: () => {},
    onLoad: () => {},
    async load(snapshot) {
      await recorder.onLoad()
      heard.push(`load ${await readHead(snapshot)}`)
    },
    async apply(change) {
      await recorder.onApply(change)
      heard.push(change.seq)
      changes.push(change)
    },
  }
  return recorder
}

/** Commits one change without a row of its own; returns its number. */
export async function commitKeys(feed: Feed): Promise<number> {
  const { seq } = await feed.commit(async (_tx, record) => {
    record({ kind: 'keys' })
  })
  return seq
}

/** Resolves when `condition` holds. Throws after `patienceMs`. */
export async function eventually(condition: () => boolean, patienceMs = 30_000): Promise<void> {
  const deadline = performance.now() + patienceMs
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`it did not come true within ${patienceMs} ms`)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}
