// Time that passes only when everything that can happen now has happened: the code under it runs as it is, and an hour
// of a hundred instances takes as long as its work does. The same seed gives the same hour.

import type { Timers } from '../../src/storage/changes/timers.js'

export interface VirtualTime {
  /** Milliseconds since the beginning. */
  now(): number
  /** Resolves `ms` later. */
  delay(ms: number): Promise<void>
  /** Runs `work` at the end of the wait; what it returns prevents that. */
  after(ms: number, work: () => void): () => void
  /** Waiting in this time, with chances of its own. */
  timers(random: () => number): Timers
  /** Lets `ms` pass. */
  pass(ms: number): Promise<void>
  /** Lets time pass until the promise is settled. */
  settled<T>(work: Promise<T>): Promise<T>
}

interface Event {
  at: number
  /** Of those at one moment the one that was planned first. */
  order: number
  work: (() => void) | undefined
}

/** At its beginning. */
export function createVirtualTime(): VirtualTime {
  const events = createHeap()
  let now = 0
  let order = 0

  const after = (ms: number, work: () => void): (() => void) => {
    order += 1
    const event: Event = { at: now + Math.max(0, ms), order, work }
    events.push(event)
    return () => {
      event.work = undefined
    }
  }
  const every = (ms: number, work: () => void): (() => void) => {
    let cancel = (): void => {}
    const tick = (): void => {
      cancel = after(ms, tick)
      work()
    }
    cancel = after(ms, tick)
    return () => cancel()
  }
  /** One event and everything that follows from it at the same moment. */
  const step = async (): Promise<void> => {
    const event = events.pop()
    if (event?.work === undefined) return
    now = event.at
    event.work()
    await idle()
  }

  return {
    now: () => now,
    after,
    delay: (ms) => new Promise((resolve) => after(ms, resolve)),
    timers: (random) => ({ after, awaited: after, every, random }),
    async pass(ms) {
      const until = now + ms
      await idle()
      while ((events.next()?.at ?? Number.POSITIVE_INFINITY) <= until) await step()
      now = until
    },
    async settled(work) {
      let isOver = false
      const over = (): void => {
        isOver = true
      }
      work.then(over, over)
      await idle()
      while (!isOver) {
        if (events.next() === undefined) throw new Error('nothing can happen any more, and it has not happened')
        await step()
      }
      return work
    },
  }
}

/** Resolves when nothing can go on without time: promises come before this turn of the event loop. */
function idle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

function createHeap() {
  const heap: Event[] = []
  const isBefore = (a: Event, b: Event): boolean => a.at < b.at || (a.at === b.at && a.order < b.order)
  const swap = (i: number, j: number): void => {
    const held = heap[i] as Event
    heap[i] = heap[j] as Event
    heap[j] = held
  }
  const sink = (from: number): void => {
    for (let i = from; ; ) {
      const [left, right] = [2 * i + 1, 2 * i + 2]
      let least = i
      if (left < heap.length && isBefore(heap[left] as Event, heap[least] as Event)) least = left
      if (right < heap.length && isBefore(heap[right] as Event, heap[least] as Event)) least = right
      if (least === i) return
      swap(i, least)
      i = least
    }
  }
  return {
    next: (): Event | undefined => heap[0],
    push(event: Event): void {
      heap.push(event)
      for (let i = heap.length - 1; i > 0; ) {
        const parent = (i - 1) >> 1
        if (!isBefore(heap[i] as Event, heap[parent] as Event)) return
        swap(i, parent)
        i = parent
      }
    },
    pop(): Event | undefined {
      const first = heap[0]
      const last = heap.pop()
      if (last !== undefined && heap.length > 0) {
        heap[0] = last
        sink(0)
      }
      return first
    },
  }
}
