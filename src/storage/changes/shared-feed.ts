// The Feed of one of many instances on one Store. What it commits is applied here, told to the others by the stream,
// and answered when the stream has it, or else when every instance has noted in the Store that it has it. What others
// commit is heard from the stream and, whatever the stream does, found in the Store by polling.
//
// What each part is for: advance.ts applies, stream-link.ts speaks and listens, acknowledgements.ts knows who follows
// and how far, stall-detector.ts notices lost time. Which failure leads to what is a table in decisions/0047.

import { type Store, StoreUnavailable } from '../sql/store.js'
import { createAcknowledgements } from './acknowledgements.js'
import { createAdvance, FollowerFailed } from './advance.js'
import type { ChangeStream } from './change-stream.js'
import { createDoubt, type Doubt } from './doubt.js'
import type { Change, Feed, Follower } from './feed.js'
import { commitNumbered, type Numbered, settleDoubt } from './numbering.js'
import { createPolling } from './polling.js'
import { createPruning } from './pruning.js'
import { createStallDetector } from './stall-detector.js'
import { createStreamLink } from './stream-link.js'
import { processTimers, type Timers } from './timers.js'

export interface SharedFeedOptions {
  store: Store
  /** Absent: the others find changes by polling alone. */
  stream?: ChangeStream | undefined
  /** Of this process and this start only; two instances with one id would not wait for each other. */
  instanceId: string
  /** For people, in the list of instances; absent: the id. */
  instanceName?: string
  /** The Store is queried this often: the longest that a change stays unnoticed without a stream. */
  pollMs: number
  /** The age from which callers refuse; the stream's heartbeats and the margins follow from it. */
  staleAfterMs: number
  /**
   * How long this instance trusts the stream alone, without being able to note itself in the Store. So long does one
   * that died count for the others when the stream fails. Absent: a minute with a stream, without one `staleAfterMs`.
   */
  disconnectedMs?: number
  /** How long a commit waits for the others when the stream did not take it. Absent: three polls, at least a second. */
  confirmMs?: number
  /** Lost time from which everything must be looked at again. Absent: a second. */
  lostMs?: number
  /** Whether the Store may have been put back; raised here too when it did not answer. Absent: not at first. */
  doubt?: Doubt
  /** Whether this instance shortens the change log. Absent: no. */
  mayPrune?: () => boolean
  /** Epoch milliseconds, for the `at` of changes. */
  now: () => number
  /** Milliseconds of a clock that never goes back. */
  monotonic: () => number
  /** Absent: the process's. */
  timers?: Timers
  /** Hears of what failed between calls: a poll, a follower, a publication, a foreign entry. */
  onError?: (error: unknown) => void
  /**
   * Hears, for each change of another instance, the seconds from its commit to its application here, by the wall
   * clocks.
   */
  onPropagation?: (seconds: number) => void
  /** Hears whether the stream is being read. */
  onStream?: (up: boolean) => void
}

const DISCONNECTED_MS = 60_000
const CONFIRM_LEAST_MS = 1_000
const LOST_MS = 1_000
/** A note in the Store, and a heartbeat on the stream, so often: five fit into the staleness bound. */
const SIGNS_IN_STALENESS = 5
/** Those who wait for the others ask twenty times a poll, within these bounds. */
const ASKS_IN_POLL = 20
const ASK_MS = { least: 5, most: 25 }

/** A Feed over the `changes` table and a stream. See feed.ts for what it promises. */
export function createSharedFeed(options: SharedFeedOptions): Feed {
  const { store, monotonic, pollMs, now, doubt = createDoubt(), timers = processTimers } = options
  const followers: Follower[] = []
  const onError = options.onError ?? (() => {})
  const advance = createAdvance({ store, followers, now, monotonic, onError, onApplied: measuring(options) })
  const acknowledgements = createAcknowledgements(acknowledgementOptions(options))
  const polling = createPolling({
    everyMs: pollMs,
    look: doubting(doubt, looking(options, advance, acknowledgements)),
    monotonic,
    timers,
    onError,
  })
  const lostMs = options.lostMs ?? LOST_MS
  const stallDetector = createStallDetector({ lostMs, monotonic, onLost: polling.soon, timers })
  const link = createLink(options, advance, polling.soon)
  const ageMs = ageing(options, { advance, acknowledgements, stallDetector, link })
  const confirmMs = options.confirmMs ?? Math.max(CONFIRM_LEAST_MS, 3 * pollMs)
  let state: 'new' | 'started' | 'stopped' = 'new'

  /**
   * Resolves when every other instance knows, or refuses by itself. Throws StoreUnavailable: committed, yet not known.
   */
  const spread = async ({ rows, seq }: Numbered<unknown>): Promise<void> => {
    if (rows.length === 0 || (await link?.publish(rows))) return
    await acknowledgements.confirmed(seq, confirmMs)
  }

  return {
    follow(follower) {
      if (state !== 'new') throw new Error(`${follower.name} came after the feed had started`)
      followers.push(follower)
    },
    async start() {
      // From here on commits wait for their turn behind the load, so that none falls between it and the first poll.
      state = 'started'
      stallDetector.begin()
      try {
        // First in the list, then loaded: a commit that does not see the row is in what is loaded.
        await acknowledgements.note(0)
        await settleDoubt(store, { at: now(), doubt })
        await advance.reload()
      } catch (error) {
        state = 'new'
        throw error
      }
      polling.begin()
      polling.soon()
      link?.begin()
    },
    async commit(work) {
      if (state === 'stopped') throw new StoreUnavailable('the feed has stopped')
      const written = await commitNumbered(store, work, { at: now(), applied: advance.seq(), doubt })
      // Before start nobody here has to hear, and the others find it at their next poll.
      if (state === 'started') await Promise.all([advance.to(written.seq), spread(written)])
      return { result: written.result, seq: written.seq }
    },
    get seq() {
      return advance.seq()
    },
    // Who has left the list is not waited for, and so must not decide.
    ageMs: () => (state === 'stopped' ? Number.POSITIVE_INFINITY : ageMs()),
    catchUp: advance.toHead,
    async stop() {
      const wasStarted = state === 'started'
      state = 'stopped'
      stallDetector.end()
      await polling.end()
      await link?.end()
      if (wasStarted) await acknowledgements.leave().catch(onError)
    },
  }
}

type Parts = {
  advance: ReturnType<typeof createAdvance>
  acknowledgements: ReturnType<typeof createAcknowledgements>
  stallDetector: ReturnType<typeof createStallDetector>
  link: ReturnType<typeof createStreamLink> | undefined
}

function disconnectedMsOf({ disconnectedMs, stream, staleAfterMs }: SharedFeedOptions): number {
  return disconnectedMs ?? (stream === undefined ? staleAfterMs : DISCONNECTED_MS)
}

function acknowledgementOptions(options: SharedFeedOptions) {
  const { store, instanceId, instanceName = instanceId, now, monotonic, timers = processTimers } = options
  const askMs = Math.min(ASK_MS.most, Math.max(ASK_MS.least, options.pollMs / ASKS_IN_POLL))
  return { store, instanceId, instanceName, disconnectedMs: disconnectedMsOf(options), askMs, now, monotonic, timers }
}

/**
 * The age of what is known: by the Store's last complete answer, or by the stream, while this instance still counts for
 * those who cannot speak on it. Infinite when time was lost since. Checked at every request: one look at the clock.
 */
function ageing(options: SharedFeedOptions, { advance, acknowledgements, stallDetector, link }: Parts): () => number {
  const { monotonic } = options
  const disconnectedMs = disconnectedMsOf(options)
  return () => {
    const at = monotonic()
    if (stallDetector.isLost(at)) return Number.POSITIVE_INFINITY
    let knownAt = advance.completeAt()
    if (link !== undefined && at - acknowledgements.notedAt() <= disconnectedMs)
      knownAt = Math.max(knownAt, link.wholeAt())
    return knownAt >= stallDetector.lostUntil() ? at - knownAt : Number.POSITIVE_INFINITY
  }
}

/** An instance that lost the Store may find another one in its place. */
function doubting(doubt: Doubt, look: () => Promise<void>): () => Promise<void> {
  return () =>
    look().catch((error: unknown) => {
      if (!(error instanceof FollowerFailed)) doubt.raise()
      throw error
    })
}

/** One poll: what is new, then a sign that it is known here, then who else is there. */
function looking(options: SharedFeedOptions, advance: Parts['advance'], acknowledgements: Parts['acknowledgements']) {
  const { monotonic, mayPrune = () => false } = options
  const signMs = options.staleAfterMs / SIGNS_IN_STALENESS
  const prune = createPruning(options)
  return async (): Promise<void> => {
    await advance.toHead()
    if (advance.seq() !== acknowledgements.notedSeq() || monotonic() - acknowledgements.notedAt() >= signMs) {
      await acknowledgements.note(advance.seq())
      await acknowledgements.look()
    }
    if (mayPrune()) await prune()
  }
}

function createLink(options: SharedFeedOptions, advance: Parts['advance'], askStore: () => void): Parts['link'] {
  const { stream, instanceId, monotonic, timers = processTimers, onError = () => {}, onStream = () => {} } = options
  if (stream === undefined) return undefined
  const heartbeatMs = options.staleAfterMs / SIGNS_IN_STALENESS
  const suspicionMs = options.pollMs
  return createStreamLink({
    stream,
    advance,
    instanceId,
    monotonic,
    timers,
    onError,
    onStream,
    askStore,
    heartbeatMs,
    suspicionMs,
  })
}

function measuring({ now, onPropagation }: SharedFeedOptions): (change: Change) => void {
  return (change) => onPropagation?.(Math.max(0, now() - change.at) / 1000)
}
