// The Feed of one process on one Store: what this process commits is applied before the answer; what another process
// commits to the same file is found by polling. Followers hear each number once, in order, or are loaded anew.

import { appendChanges } from '../store/change-log.js'
import { type ChangeRow, lockHead } from '../store/changes.js'
import { type Statements, type Store, StoreUnavailable } from '../store/store.js'
import { type Advance, createAdvance } from './advance.js'
import type { ChangeEntry, Feed, Follower } from './feed.js'
import { createPruning } from './pruning.js'

export interface EmbeddedFeedOptions {
  store: Store
  /** How long another process's change may stay unnoticed. */
  pollMs: number
  /** Epoch milliseconds, for the `at` of changes. */
  now: () => number
  /** Milliseconds of a clock that never goes back, for ageMs. */
  monotonic: () => number
  /** Hears of what failed between calls: a poll, a follower, the pruning. */
  onError?: (error: unknown) => void
}

/** A Feed over the `changes` table. See feed.ts for what it promises. */
export function createEmbeddedFeed(options: EmbeddedFeedOptions): Feed {
  const followers: Follower[] = []
  const report = options.onError ?? (() => {})
  const advance = createAdvance({ store: options.store, followers, monotonic: options.monotonic, onError: report })
  const polling = createPolling(options, advance, report)
  let state: 'new' | 'started' | 'stopped' = 'new'

  return {
    follow(follower) {
      if (state !== 'new') throw new Error(`${follower.name} came after the feed had started`)
      followers.push(follower)
    },
    async start() {
      // From here on commits wait for their turn behind the load, so that none falls between it and the first poll.
      state = 'started'
      try {
        await advance.reload()
      } catch (error) {
        state = 'new'
        throw error
      }
      polling.begin()
    },
    async commit(work) {
      if (state === 'stopped') throw new StoreUnavailable('the feed has stopped')
      const written = await options.store.transaction((tx) => numbered(tx, work, options.now()))
      // Before start there is nothing to tell: the followers will load a state that has this change in it.
      if (state === 'started') await advance.to(written.seq)
      return written
    },
    get seq() {
      return advance.seq()
    },
    ageMs: advance.ageMs,
    catchUp: advance.toHead,
    async stop() {
      state = 'stopped'
      await polling.end()
    },
  }
}

/** Runs `work` in the transaction and writes what it recorded under the numbers that it was told. */
async function numbered<T>(
  tx: Statements,
  work: (tx: Statements, record: (entry: ChangeEntry) => number) => Promise<T>,
  at: number,
): Promise<{ result: T; seq: number }> {
  const head = await lockHead(tx)
  const rows: ChangeRow[] = []
  const record = (entry: ChangeEntry): number => {
    const seq = head + rows.length + 1
    rows.push({ seq, at, body: JSON.stringify(entry) })
    return seq
  }
  const result = await work(tx, record)
  await appendChanges(tx, rows)
  return { result, seq: head + rows.length }
}

/** Looks for other processes' changes, and keeps the log short, until it is ended. */
function createPolling(options: EmbeddedFeedOptions, advance: Advance, report: (error: unknown) => void) {
  const prune = createPruning(options)
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> = Promise.resolve()
  let ended = false
  const look = async (): Promise<void> => {
    try {
      await advance.toHead()
      await prune()
    } catch (error) {
      report(error)
    }
    if (!ended) wait()
  }
  const wait = (): void => {
    timer = setTimeout(() => {
      running = look()
    }, options.pollMs)
    // The listeners keep the process alive, not this.
    timer.unref()
  }
  return {
    begin: wait,
    async end(): Promise<void> {
      ended = true
      clearTimeout(timer)
      await running
    },
  }
}
