// Times on the portal's pages, in UTC: pages without scripts do not know the reader's time zone.

const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })
const minute = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

/** `21 Nov 2026` from epoch milliseconds. */
export function date(ms: number): string {
  return day.format(new Date(ms))
}

/** `21 Nov 2026, 10:00 UTC` from epoch milliseconds. */
export function dateTime(ms: number): string {
  return `${minute.format(new Date(ms))} UTC`
}

/** How long that is, roughly: `3 days`, `1 hour`, `less than a minute`. */
export function span(ms: number): string {
  const [unit, length] = units.find(([, least]) => ms >= least) ?? ['minute', 0]
  if (length === 0) return 'less than a minute'
  const count = Math.floor(ms / length)
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
