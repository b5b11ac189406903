// Texts and values of a service's document as they go on to readers. Somebody else wrote them, so they are bounded and
// hold nothing that turns a line around or hides in it. Those who show them escape them.

import { isMapping } from '../document-part.js'

/** How much of one document is published, in all: what is beyond is left out. */
export interface Allowance {
  /** Takes so much of it; false: there is not so much left. */
  take(amount: number): boolean
}

/** `amount` is about characters. */
export function createAllowance(amount: number): Allowance {
  let left = amount
  return {
    take(wanted) {
      left -= wanted
      return left >= 0
    },
  }
}

const longestLine = 200
const longestText = 4_000
const mostDepth = 12
const mostItems = 200

/** One line of at most 200 characters; undefined for what is no text, or an empty one. */
export function lineOf(value: unknown): string | undefined {
  const text = clean(value, longestLine)?.replace(/\s+/gu, ' ').trim()
  return text === '' ? undefined : text
}

/** At most 4,000 characters over several lines; undefined for what is no text, or an empty one. */
export function textOf(value: unknown): string | undefined {
  const text = clean(value, longestText)?.replace(/\r\n?/g, '\n').trim()
  return text === '' ? undefined : text
}

/** Without control characters, and without those that are not seen and change what is. */
function clean(value: unknown, most: number): string | undefined {
  if (typeof value !== 'string') return undefined
  const visible = value
    .slice(0, most * 2)
    .replace(/(?![\n\r\t])[\p{Cc}\p{Cs}\p{Co}\p{Bidi_Control}\u2028\u2029\ufeff]/gu, '')
  const characters = [...visible]
  return characters.length <= most ? visible : `${characters.slice(0, most - 1).join('')}…`
}

/** A copy of an example, a default or the like; undefined when it is too large or no JSON. */
export function jsonOf(value: unknown, allowance: Allowance, depth = 0): unknown {
  if (depth > mostDepth || !allowance.take(8)) return undefined
  if (typeof value === 'string') return value.length <= longestText && allowance.take(value.length) ? value : undefined
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined
  if (typeof value === 'boolean' || value === null) return value
  if (Array.isArray(value)) {
    return value.slice(0, mostItems).flatMap((one: unknown) => {
      const copy = jsonOf(one, allowance, depth + 1)
      return copy === undefined ? [] : [copy]
    })
  }
  if (!isMapping(value)) return undefined
  const entries = Object.entries(value)
    // A tool that puts documents together would follow it.
    .filter(([name]) => name !== '$ref' && name.length <= longestLine)
    .slice(0, mostItems)
    .map(([name, one]): [string, unknown] => [name, jsonOf(one, allowance, depth + 1)])
  return Object.fromEntries(entries.filter(([, copy]) => copy !== undefined))
}
