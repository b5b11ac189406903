// Whether everything has been read that was published before some moment: the entry that was the newest then has been
// read. Nothing is published for it, so that a thousand instances do not read a thousand signs of life a second.

import type { ChangeStream, EntryMark } from './change-stream.js'

export interface ReadMarks {
  /** Reading begins behind `end`; what was passed or awaited before says nothing any more. */
  begin(end: EntryMark): void
  /** An entry has been read. */
  pass(mark: EntryMark): void
  /** Looks which entry is the newest. Never rejects: whether Redis can be reached is told by the connection. */
  look(): Promise<void>
}

/** Newest entries that are still to be read: more are not waited for. */
const MOST_AWAITED = 16
/** Entries that are remembered as read; the newest one is among them, unless it is still to come. */
const MOST_PASSED = 256

/** `onRead` hears of moments, by the monotonic clock, before which nothing was published that has not been read. */
export function createReadMarks(options: {
  stream: Pick<ChangeStream, 'newest'>
  monotonic: () => number
  onRead: (atMs: number) => void
}): ReadMarks {
  const { stream, monotonic, onRead } = options
  const passed = new Set<EntryMark>()
  const awaited = new Map<EntryMark, number>()
  let reading = 0

  return {
    begin(end) {
      reading += 1
      passed.clear()
      awaited.clear()
      passed.add(end)
    },
    pass(mark) {
      passed.add(mark)
      const [oldest] = passed
      if (passed.size > MOST_PASSED && oldest !== undefined) passed.delete(oldest)
      const requestedAt = awaited.get(mark)
      if (requestedAt === undefined) return
      awaited.delete(mark)
      onRead(requestedAt)
    },
    async look() {
      const requestedAt = monotonic()
      const asOf = reading
      const newest = await stream.newest().catch(() => undefined)
      if (newest === undefined || asOf !== reading) return
      if (passed.has(newest)) return onRead(requestedAt)
      if (awaited.size >= MOST_AWAITED) awaited.clear()
      // Only one of the same: what was published before the later moment has been read with it too.
      awaited.set(newest, requestedAt)
    },
  }
}
