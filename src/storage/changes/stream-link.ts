// What this instance says and hears on the stream, and what follows from it: changes that continue what is applied are
// applied at once; anything else is a reason to ask the Store. And since when this instance knows, by the stream alone,
// that it has everything: when it has read the entry that was the newest, or its own heartbeat has come back, nothing
// that was published before is missing.

import type { ChangeRow } from '../sql/cluster/changes.js'
import type { Advance } from './advance.js'
import type { ChangeStream, EntryMark, StreamMessage } from './change-stream.js'
import { createReadMarks } from './read-marks.js'
import type { Timers } from './timers.js'

export interface StreamLinkOptions {
  stream: ChangeStream
  advance: Advance
  instanceId: string
  heartbeatMs: number
  /** An entry that cannot be used makes the Store be queried at most once in this time. */
  suspicionMs: number
  monotonic: () => number
  timers: Timers
  /** Asks the Store soon; a question that is under way does not count. */
  askStore: () => void
  onError: (error: unknown) => void
  onStream: (up: boolean) => void
}

export interface StreamLink {
  begin(): void
  /** Tells the others. Resolves with whether the stream has it for certain. */
  publish(rows: readonly ChangeRow[]): Promise<boolean>
  /** Since when, by the monotonic clock, nothing is missing as far as the stream tells; −∞ when it tells nothing. */
  wholeAt(): number
  end(): Promise<void>
}

/** Own heartbeats that may be under way: more are not waited for. */
const MOST_HEARTBEATS = 16
/** Characters of bodies in one message; followers of a longer commit are told its number and read the Store. */
const LONGEST_MESSAGE = 30_000
/** Reports of entries that cannot be used are apart by this at least. */
const REPORT_EVERY_MS = 10_000

/** Not begun yet. */
export function createStreamLink(options: StreamLinkOptions): StreamLink {
  const { stream, advance, instanceId, monotonic, askStore } = options
  /** When reading began; what was published before has to come from the Store. +∞: nothing is being read. */
  let joinedAt = Number.POSITIVE_INFINITY
  let wholeAt = Number.NEGATIVE_INFINITY
  /** The highest number that was spoken of, and when. */
  let spokenOf = { seq: 0, at: Number.NEGATIVE_INFINITY }
  /** When an entry came last that was not understood. */
  let unreadableAt = Number.NEGATIVE_INFINITY
  let heartbeats = 0
  const heartbeatsSent = new Map<number, number>()
  let endLooks = (): void => {}
  let cancelHeartbeat = (): void => {}
  /** Whether the last message was taken; while it is not, one report is enough. */
  let isHeard = true
  const suspect = createSuspicion(options, 'that this deployment did not write')
  const puzzle = createSuspicion(options, 'of another version of this program')

  const speak = async (message: StreamMessage): Promise<boolean> => {
    try {
      await stream.publish(message)
      isHeard = true
      return true
    } catch (error) {
      if (isHeard) options.onError(error)
      isHeard = false
      return false
    }
  }

  /**
   * One instance speaks for all that have the same: each waits for another time, and begins anew when it hears that
   * somebody else was sooner.
   */
  const waitWithHeartbeat = (): void => {
    cancelHeartbeat()
    const { timers, heartbeatMs } = options
    cancelHeartbeat = timers.after((heartbeatMs * (1 + timers.random())) / 2, () => {
      sendHeartbeat()
      waitWithHeartbeat()
    })
  }

  const sendHeartbeat = (): void => {
    if (joinedAt === Number.POSITIVE_INFINITY) return
    heartbeats += 1
    if (heartbeatsSent.size >= MOST_HEARTBEATS) heartbeatsSent.clear()
    heartbeatsSent.set(heartbeats, monotonic())
    void speak({ kind: 'heartbeat', from: instanceId, heartbeat: heartbeats, seq: advance.seq() })
  }

  /** Somebody has `seq`; we do not yet. */
  const behind = (seq: number): void => {
    spokenOf = { seq: Math.max(seq, spokenOf.seq), at: monotonic() }
    askStore()
  }

  /**
   * Everything before the reading began is known from the Store, and everything that was spoken of since is applied. An
   * entry that was not understood may have spoken of anything.
   */
  const isWhole = (): boolean => {
    const requestedAt = advance.completeAt()
    const hasCome = advance.seq() >= spokenOf.seq || requestedAt > spokenOf.at
    return hasCome && requestedAt > joinedAt && requestedAt > unreadableAt
  }

  const hearHeartbeat = (message: { from: string; heartbeat: number; seq: number }): void => {
    const isAhead = message.seq > advance.seq()
    if (isAhead) behind(message.seq)
    if (message.from !== instanceId && message.seq >= advance.seq()) waitWithHeartbeat()
    if (isAhead || message.from !== instanceId) return
    const sentAt = heartbeatsSent.get(message.heartbeat)
    heartbeatsSent.delete(message.heartbeat)
    // A heartbeat that is repeated, or from before the reading began, says nothing.
    if (sentAt !== undefined) becomeWhole(sentAt)
  }

  /** Everything that was published before `at` has been read. */
  const becomeWhole = (at: number): void => {
    if (at >= joinedAt && isWhole()) wholeAt = Math.max(wholeAt, at)
  }

  const marks = createReadMarks({ stream, monotonic, onRead: becomeWhole })

  const lose = (): void => {
    joinedAt = Number.POSITIVE_INFINITY
    wholeAt = Number.NEGATIVE_INFINITY
    heartbeatsSent.clear()
    options.onStream(false)
  }

  const listener = {
    joined(end: EntryMark): void {
      joinedAt = monotonic()
      heartbeatsSent.clear()
      marks.begin(end)
      options.onStream(true)
      askStore()
      sendHeartbeat()
    },
    passed: marks.pass,
    async message(message: StreamMessage): Promise<void> {
      if (message.kind === 'heartbeat') return hearHeartbeat(message)
      const last = message.rows.at(-1)?.seq ?? 0
      // Our own comes back too, and may be here before our commit has read it.
      if (!(await advance.hear(message.rows, message.from !== instanceId))) behind(last)
    },
    unreadable(): void {
      unreadableAt = monotonic()
      puzzle()
    },
    unknown: suspect,
    lost: lose,
  }

  return {
    begin() {
      stream.begin(listener)
      waitWithHeartbeat()
      endLooks = options.timers.every(options.heartbeatMs, () => void marks.look())
    },
    publish(rows) {
      const last = rows.at(-1)?.seq ?? 0
      const length = rows.reduce((sum, row) => sum + row.body.length, 0)
      if (length <= LONGEST_MESSAGE) return speak({ kind: 'changes', from: instanceId, rows: [...rows] })
      // Number 0 is no heartbeat that anybody waits for.
      return speak({ kind: 'heartbeat', from: instanceId, heartbeat: 0, seq: last })
    },
    wholeAt: () => wholeAt,
    async end() {
      endLooks()
      cancelHeartbeat()
      await stream.stop()
    },
  }
}

/**
 * An entry that cannot be used is ignored. The Store is queried, but nobody who can write to Redis makes us query it
 * again and again.
 */
function createSuspicion(options: StreamLinkOptions, which: string): () => void {
  let requestedAt = Number.NEGATIVE_INFINITY
  let reportedAt = Number.NEGATIVE_INFINITY
  let count = 0
  return () => {
    const at = options.monotonic()
    count += 1
    if (at - requestedAt >= options.suspicionMs) {
      requestedAt = at
      options.askStore()
    }
    if (at - reportedAt < REPORT_EVERY_MS) return
    reportedAt = at
    options.onError(new Error(`the stream holds entries ${which}: ${count} ignored`))
    count = 0
  }
}
