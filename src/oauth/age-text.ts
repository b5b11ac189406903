// A span of time as people read it.

/** `10 minutes`, `a minute`, `90 seconds`, `2 hours`. */
export function ageText(seconds: number): string {
  for (const [unit, one, length] of [
    ['hours', 'an hour', 3600],
    ['minutes', 'a minute', 60],
  ] as const) {
    if (seconds >= length && seconds % length === 0) return seconds === length ? one : `${seconds / length} ${unit}`
  }
  return `${seconds} seconds`
}
