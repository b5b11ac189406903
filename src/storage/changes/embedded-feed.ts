// The Feed of one process on one Store: what this process commits is applied before the answer; what another process
// commits to the same file is found by polling. Followers hear each number once, in order, or are loaded anew.

import { type Store, StoreUnavailable } from '../sql/store.js'
import { createAdvance } from './advance.js'
import type { Doubt } from './doubt.js'
import type { Feed, Follower } from './feed.js'
import { commitNumbered, settleDoubt } from './numbering.js'
import { createPolling } from './polling.js'
import { createPruning } from './pruning.js'
import { processTimers } from './timers.js'

export interface EmbeddedFeedOptions {
  store: Store
  /** How long another process's change may stay unnoticed. */
  pollMs: number
  /** Epoch milliseconds, for the `at` of changes. */
  now: () => number
  /** Milliseconds of a clock that never goes back, for ageMs. */
  monotonic: () => number
  /** Whether the Store may have been put back; see doubt.ts. Absent: no. */
  doubt?: Doubt
  /** Hears of what failed between calls: a poll, a follower, the pruning. */
  onError?: (error: unknown) => void
}

/** A Feed over the `changes` table. See feed.ts for what it promises. */
export function createEmbeddedFeed(options: EmbeddedFeedOptions): Feed {
  const { store, monotonic, now, doubt } = options
  const followers: Follower[] = []
  const onError = options.onError ?? (() => {})
  const advance = createAdvance({ store, followers, now, monotonic, onError })
  const prune = createPruning(options)
  const look = async (): Promise<void> => {
    await advance.toHead()
    await prune()
  }
  const polling = createPolling({
    everyMs: options.pollMs,
    look,
    monotonic: options.monotonic,
    timers: processTimers,
    onError,
  })
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
        await settleDoubt(store, { at: now(), doubt })
        await advance.reload()
      } catch (error) {
        state = 'new'
        throw error
      }
      polling.begin()
    },
    async commit(work) {
      if (state === 'stopped') throw new StoreUnavailable('the feed has stopped')
      const { result, seq } = await commitNumbered(store, work, { at: now(), applied: advance.seq(), doubt })
      // Before start there is nothing to tell: the followers will load a state that has this change in it.
      if (state === 'started') await advance.to(seq)
      return { result, seq }
    },
    get seq() {
      return advance.seq()
    },
    ageMs: () => monotonic() - advance.completeAt(),
    catchUp: advance.toHead,
    async stop() {
      state = 'stopped'
      await polling.end()
    },
  }
}
