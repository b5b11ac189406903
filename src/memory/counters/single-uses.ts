// What was seen once and must not be seen again for a while, such as the identifier of a signed request.

export interface SingleUses {
  /**
   * True exactly once per key until `untilUs`. False too when there is no room to remember one more: what cannot be
   * remembered could be replayed, so it is refused.
   */
  first(key: string, untilUs: number, nowUs: number): boolean
  clear(): void
}

const SWEEP_STEP = 4
const SWEEP_STEP_WHEN_FULL = 64

/** Remembers at most `maxEntries` keys, and none of them shorter than asked. */
export function createSingleUses(maxEntries: number): SingleUses {
  const ends = new Map<string, number>()
  let hand = ends.entries()

  const sweep = (steps: number, nowUs: number): void => {
    for (let step = 0; step < steps; step += 1) {
      const next = hand.next()
      if (next.done === true) {
        hand = ends.entries()
        return
      }
      const [key, end] = next.value
      if (end <= nowUs) ends.delete(key)
    }
  }

  return {
    first(key, untilUs, nowUs) {
      const end = ends.get(key)
      if (end !== undefined && end > nowUs) return false
      sweep(SWEEP_STEP, nowUs)
      if (ends.size >= maxEntries) sweep(SWEEP_STEP_WHEN_FULL, nowUs)
      if (ends.size >= maxEntries && !ends.has(key)) return false
      ends.set(key, untilUs)
      return true
    },
    clear: () => ends.clear(),
  }
}
