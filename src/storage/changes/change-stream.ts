// The stream: how instances tell each other of changes sooner than each finds them in the Store. It may lose, repeat,
// reorder and stop; its follower queries the Store whenever the numbers do not continue. This file says what it
// is.

import { type Static, Type } from 'typebox'

const Sequence = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const From = Type.String({ minLength: 1, maxLength: 200 })
const Row = Type.Object({ seq: Sequence, at: Sequence, body: Type.String() }, { additionalProperties: false })

export const StreamMessage = Type.Union([
  /** Rows of one commit, as they stand in the log. */
  Type.Object(
    { kind: Type.Literal('changes'), from: From, rows: Type.Array(Row, { minItems: 1 }) },
    { additionalProperties: false },
  ),
  /**
   * A sign of life: instance `from` has applied up to `seq`. `heartbeat` counts them, so that the sender knows its own
   * when it comes back and with it that everything published before has come too.
   */
  Type.Object(
    { kind: Type.Literal('heartbeat'), from: From, heartbeat: Sequence, seq: Sequence },
    { additionalProperties: false },
  ),
])
export type StreamMessage = Static<typeof StreamMessage>

/** Names one entry among all that are there, by its place and its text; empty: there is none. */
export type EntryMark = string

export interface StreamListener {
  /**
   * Reading begins now, behind the entry `end`: what was published before this call does not come. Again after each
   * loss.
   */
  joined(end: EntryMark): void
  /** An entry is over, whatever it was; entries come in the order of the stream, and none is left out. */
  passed(mark: EntryMark): void
  /** The next entry, authentic and well-formed. The stream reads on when the promise resolves. */
  message(message: StreamMessage): Promise<void>
  /** An entry of an instance with the key that this program does not understand: it is of another version. */
  unreadable(): void
  /** An entry that nobody with the key has written. */
  unknown(): void
  /** Reading has ended, and will be tried again. */
  lost(): void
}

export interface ChangeStream {
  /** Begins to read and goes on until stop, whatever fails. Once. */
  begin(listener: StreamListener): void
  /** Resolves when the stream has the message; rejects, after a bounded time, when that is not certain. */
  publish(message: StreamMessage): Promise<void>
  /**
   * The newest entry where publications go to, as of some moment after this call. Rejects, after a bounded time, when
   * nobody says.
   */
  newest(): Promise<EntryMark>
  stop(): Promise<void>
}
