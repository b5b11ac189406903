// How time is cut: minutes for the last hour, quarters of an hour for the last day.

/** Slots of one length, and how many of them are looked at. */
export interface Slots {
  readonly slotSeconds: number
  readonly slotMs: number
  /** In a whole stretch; the last of them is the one that is open. */
  readonly count: number
  /** How long the Store keeps them: somewhat longer, for clocks that differ. */
  readonly keepMs: number
}

const minuteMs = 60_000

/** The last hour. */
export const hourSlots: Slots = { slotSeconds: 60, slotMs: minuteMs, count: 60, keepMs: 120 * minuteMs }
/** The last 24 hours. */
export const daySlots: Slots = { slotSeconds: 900, slotMs: 15 * minuteMs, count: 96, keepMs: 26 * 60 * minuteMs }

/** When the slot of a time began; epoch ms both. */
export function slotOf({ slotMs }: Slots, ms: number): number {
  return Math.floor(ms / slotMs) * slotMs
}

/** When each slot of the stretch that ends now began, the oldest first; epoch ms. */
export function slotTimes(slots: Slots, nowMs: number): number[] {
  const open = slotOf(slots, nowMs)
  return Array.from({ length: slots.count }, (_, index) => open - (slots.count - 1 - index) * slots.slotMs)
}
