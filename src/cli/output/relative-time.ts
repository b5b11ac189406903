// Times as people at a terminal read them: how long ago, or in how long.

const isoTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?Z$/

const timeInText = /\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?Z(?![\w-])/g

/** A line in which every time of the API reads `3 d ago (2026-11-20 10:00 UTC)`. */
export function withRelativeTimes(text: string, nowMs: number): string {
  return text.replace(timeInText, (at) => {
    const minute = `${at.slice(0, 10)} ${at.slice(11, 16)} UTC`
    const said = relativeTime(at, nowMs)
    return minute.startsWith(said) ? minute : `${said} (${minute})`
  })
}

/** Whether a cell is a time as the management API writes them. */
export function isTime(text: string): boolean {
  return isoTime.test(text)
}

/** `3 m ago`, `in 2 d`; beyond sixty days the day itself. `at` is a time of the API, `nowMs` epoch milliseconds. */
export function relativeTime(at: string, nowMs: number): string {
  const seconds = Math.round((Date.parse(at) - nowMs) / 1000)
  const size = Math.abs(seconds)
  if (size < 5) return 'now'
  if (size >= 60 * 86_400) return at.slice(0, 10)
  const said =
    size < 60
      ? `${size} s`
      : size < 3600
        ? `${Math.floor(size / 60)} m`
        : size < 86_400
          ? `${Math.floor(size / 3600)} h`
          : `${Math.floor(size / 86_400)} d`
  return seconds < 0 ? `${said} ago` : `in ${said}`
}
