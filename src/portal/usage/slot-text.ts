// When a day or a slot of time was, as charts and tables say it, in UTC.

import { date, dateTime } from '../dates.js'

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' })

/** `21 Nov` of a day, `10:45` of a slot; `key` as the API says it. */
export function slotText(key: string): string {
  return (key.includes('T') ? clock : day).format(new Date(key))
}

/** `21 Nov 2026, 10:45 UTC` of a slot, `21 Nov 2026` of a day. */
export function wholeSlotText(key: string): string {
  return key.includes('T') ? dateTime(Date.parse(key)) : date(Date.parse(key))
}

/** Below a chart: when it begins, its middle, its end. */
export function axisTimes(keys: readonly string[]): string[] {
  const shown = [keys[0], keys[Math.floor(keys.length / 2)], keys.at(-1)]
  const isUtc = keys[0]?.includes('T') === true
  return shown.flatMap((key, index) =>
    key === undefined ? [] : [`${slotText(key)}${isUtc && index === 2 ? ' UTC' : ''}`],
  )
}
