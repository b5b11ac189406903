// The details of an event as names and values that people read: what changed from what to what, what was added, and
// everything else as text. Others wrote it, so nothing of it is taken for more than text.

import { displayName } from '../../web/pages/display-name.js'
import { dateTime } from '../dates.js'

/** Enough for a list of permissions or addresses; the whole is in what is taken along. */
const mostFacts = 40
const longestValue = 400

/** A fact: its name, and what it is. */
export type EventFact = readonly [name: string, value: string]

/** `details` of an event, in their order. */
export function factsOf(details: unknown): EventFact[] {
  if (details === null || details === undefined || details === '') return []
  if (!isRecord(details)) return [['Details', textOf(details)]]
  return Object.entries(details)
    .filter(([name]) => name !== 'actor')
    .flatMap(([name, value]) => factsFrom(words(name), /At$/.test(name) ? timed(value) : value))
    .slice(0, mostFacts)
}

function factsFrom(name: string, value: unknown): EventFact[] {
  if (!isRecord(value)) return [[name, textOf(value)]]
  const keys = Object.keys(value)
  if (keys.length === 0) return []
  if (keys.every((key) => key === 'before' || key === 'after')) {
    return [[name, `${textOf(value['before'])} → ${textOf(value['after'])}`]]
  }
  return Object.entries(value).map(([key, one]) => [`${name}: ${words(key).toLowerCase()}`, textOf(one)])
}

/** Times are kept as epoch milliseconds, in fields that end with `At`. */
function timed(value: unknown): unknown {
  const isTime = typeof value === 'number' && value > 0 && value < 8.64e15
  return isTime ? dateTime(value) : value
}

/** One value: a list by commas, a permission by its id, nothing as “none”. */
function textOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'none'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'string') return displayName(value, longestValue)
  if (typeof value === 'number') return String(value)
  if (Array.isArray(value)) return value.length === 0 ? 'none' : displayName(value.map(textOf).join(', '), longestValue)
  if (isRecord(value) && typeof value['id'] === 'string') {
    const kind = value['kind'] === 'application' ? ' (application)' : ''
    return `${displayName(value['id'], longestValue)}${kind}`
  }
  return displayName(JSON.stringify(value), longestValue)
}

/** `Ends at` of `endsAt`. */
function words(name: string): string {
  const text = name.replace(/([a-z])([A-Z])/g, (_, one: string, other: string) => `${one} ${other.toLowerCase()}`)
  return displayName(`${text.slice(0, 1).toUpperCase()}${text.slice(1)}`, 60)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
