// The unit in which the counters reckon, and the way to it and back.

/** The nearest whole microsecond of a time in milliseconds. */
export function toMicroseconds(milliseconds: number): number {
  return Math.round(milliseconds * 1000)
}

/** Whole milliseconds, rounded up and not negative: who waits this long has waited long enough. */
export function toWholeMs(microseconds: number): number {
  return Math.ceil(Math.max(0, microseconds) / 1000)
}
