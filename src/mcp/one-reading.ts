// Whether everybody reads the same values in a JSON text. A number beyond what some programs count exactly is another
// one to the next (RFC 8259 §6), and members whose names fold to one are one member to Go's decoder (member-names.ts),
// the last of them. A canonical form (RFC 8785) has lost both, so who goes by its digest looks here first.

import { haveTwins } from './member-names.js'

/** What some would read differently, of a text that is JSON and its value; undefined: nothing. */
export function differentlyRead(text: string, value: unknown): 'number' | 'name' | undefined {
  for (const number of numbersIn(text)) if (!isExact(number)) return 'number'
  return hasTwins(value) ? 'name' : undefined
}

function* numbersIn(text: string): Iterable<string> {
  // Of a string the next quote or escape, else a number: nothing that runs over a long text by itself.
  const token = /["\\]|-?\d[\d.eE+-]*/g
  let isInString = false
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    const [first] = found
    if (first === '"') isInString = !isInString
    else if (first === '\\') token.lastIndex += 1
    else if (!isInString) yield first
  }
}

/** Whether ECMAScript writes the same number back, as a decimal. */
function isExact(token: string): boolean {
  if (/^-?[0-9]{1,15}$/.test(token)) return token !== '-0'
  const value = Number(token)
  return Number.isFinite(value) && decimal(token) === decimal(JSON.stringify(value))
}

/** Sign, digits without zeros around them, and where the point stands. Zero with a sign is not zero without. */
function decimal(token: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(token) ?? []
  const digits = whole + fraction
  const significant = digits.replace(/^0+/, '')
  const kept = significant.replace(/(?<!0)0+$/, '')
  if (kept === '') return `${sign}0`
  return `${sign}${kept}e${Number(exponent) - fraction.length + significant.length - kept.length}`
}

function hasTwins(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some(hasTwins)
  const names = Object.keys(value)
  if (names.length > 1 && haveTwins(names)) return true
  return Object.values(value).some(hasTwins)
}
