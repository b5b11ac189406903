// A map that forgets, but never early. A wall clock can be set forward and back again, and what was forgotten in
// between would be valid again; so an entry goes only when its own end has passed and a clock that cannot be set
// agrees.

export interface Clocks {
  /** Epoch milliseconds. */
  now: () => number
  /** Milliseconds of a clock that only moves forward. */
  monotonic: () => number
}

export interface ExpiringMap {
  get(key: string): number | undefined
  /** Keeps `value` at least until `endsAt` (epoch milliseconds), and at least for `lifeMs` from now. */
  set(key: string, value: number, endsAt: number): void
  /** Whether the entry must still be kept. */
  holds(key: string): boolean
  /** Looks at a few entries and forgets those that are over; set() does it too. */
  sweep(): void
  readonly size: number
}

interface Entry {
  value: number
  endsAt: number
  /** By the monotonic clock. */
  heldUntil: number
}

/** Entries looked at in one sweep: forgetting keeps up with writing, and no call is slow. */
const sweptAtOnce = 16

/** A map from text to a number, whose entries live for `lifeMs` at least. */
export function createExpiringMap(lifeMs: number, clocks: Clocks): ExpiringMap {
  const entries = new Map<string, Entry>()
  let cursor = entries.entries()

  const isOver = (entry: Entry) => clocks.monotonic() >= entry.heldUntil && clocks.now() > entry.endsAt

  function sweep(): void {
    for (let looked = 0; looked < sweptAtOnce; looked += 1) {
      const next = cursor.next()
      if (next.done === true) {
        cursor = entries.entries()
        return
      }
      const [key, entry] = next.value
      if (isOver(entry)) entries.delete(key)
    }
  }

  return {
    get: (key) => entries.get(key)?.value,
    set(key, value, endsAt) {
      sweep()
      entries.set(key, { value, endsAt, heldUntil: clocks.monotonic() + lifeMs })
    },
    holds(key) {
      const entry = entries.get(key)
      return entry !== undefined && !isOver(entry)
    },
    sweep,
    get size() {
      return entries.size
    },
  }
}
