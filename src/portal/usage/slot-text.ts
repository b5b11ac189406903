// When a day or a slot of time was, as charts and tables say it, in UTC.

import type { AxisTime } from '../charts/frame.js'
import { date, dateTime } from '../dates.js'

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' })

/** `21 Nov` of a day, `10:45` of a slot; `key` as the API says it. */
function slotText(key: string): string {
  return (key.includes('T') ? clock : day).format(new Date(key))
}

/** `21 Nov 2026, 10:45 UTC` of a slot, `21 Nov 2026` of a day. */
export function wholeSlotText(key: string): string {
  return key.includes('T') ? dateTime(Date.parse(key)) : date(Date.parse(key))
}

/** Below a chart: when it begins, its middle, its end. The browser says times of day in its own zone; days stay UTC. */
export function axisTimes(keys: readonly string[]): AxisTime[] {
  const shown = [keys[0], keys[Math.floor(keys.length / 2)], keys.at(-1)]
  return shown.flatMap((key, index): AxisTime[] => {
    if (key === undefined) return []
    if (!key.includes('T')) return [{ text: slotText(key) }]
    return [{ text: `${slotText(key)}${index === 2 ? ' UTC' : ''}`, at: key }]
  })
}
