// Times and spans of time, as readers of each language write them. Pages without scripts do not know the reader's time zone, so it is UTC
// and says so.

import type { Language } from './language.js'

/** English as it is written outside of the United States: days before months. */
const locales: Readonly<Record<Language, string>> = { en: 'en-GB', de: 'de', fr: 'fr', es: 'es', ja: 'ja' }
const formats = new Map<Language, Intl.DateTimeFormat>()
const dayFormats = new Map<Language, Intl.DateTimeFormat>()

/** `21 Nov 2026, 10:00 UTC` in that language, from epoch milliseconds. */
export function dateTimeIn(language: Language, ms: number): string {
  const known = formats.get(language)
  const format =
    known ?? new Intl.DateTimeFormat(locales[language], { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })
  if (known === undefined) formats.set(language, format)
  return `${format.format(new Date(ms))} UTC`
}

/** `21 Nov 2026` in that language: the day in UTC that begins at `ms`, epoch milliseconds. */
export function dayIn(language: Language, ms: number): string {
  const known = dayFormats.get(language)
  const format = known ?? new Intl.DateTimeFormat(locales[language], { dateStyle: 'medium', timeZone: 'UTC' })
  if (known === undefined) dayFormats.set(language, format)
  return format.format(new Date(ms))
}

/** `10 minutes` in that language: hours where it is whole ones, seconds where there are few, else minutes, rounded up. */
export function durationIn(language: Language, seconds: number): string {
  const [unit, length] = seconds > 0 && seconds % 3600 === 0 ? hours : seconds < 90 ? ones : minutes
  const format = new Intl.NumberFormat(locales[language], { style: 'unit', unit, unitDisplay: 'long' })
  return format.format(Math.ceil(seconds / length))
}

const hours = ['hour', 3600] as const
const minutes = ['minute', 60] as const
const ones = ['second', 1] as const
