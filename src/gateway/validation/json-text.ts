// JSON that everybody reads alike. A member that stands twice is one value to one reader and another to the next, so
// what was checked here would not be what the service gets; neither is a member read that objects have by nature.

import { isUtf8 } from 'node:buffer'

export type JsonText = { value: unknown } | { wrong: string }

const notJson = { wrong: 'is not JSON in UTF-8' }
const deepest = 128
const longestName = 4_096

/** The value of a body's bytes; UTF-8 without a byte order mark (RFC 8259 §8.1). */
export function readJson(bytes: Buffer): JsonText {
  const text = bytes.toString()
  // What is not UTF-8 leaves this character behind; it may also be meant.
  if (text.includes('\ufffd') && !isUtf8(bytes)) return notJson
  return readJsonText(text)
}

/** The same for a text. */
export function readJsonText(text: string): JsonText {
  try {
    const value: unknown = JSON.parse(text)
    const members = membersOf(value, 1)
    if (typeof members === 'string') return { wrong: members }
    // Of members with one name the last is left in the value.
    return namesIn(text) === members ? { value } : { wrong: 'says the same name twice in one object' }
  } catch {
    return notJson
  }
}

const [quote, colon, backslash] = ['"', 0x3a, 0x5c] as const

/** How many members its objects have, or what is wrong with one. */
function membersOf(value: unknown, depth: number): number | string {
  if (typeof value !== 'object' || value === null) return 0
  if (depth > deepest) return 'is nested too deeply'
  return Array.isArray(value) ? membersOfItems(value, depth) : membersOfObject(value as Record<string, unknown>, depth)
}

function membersOfItems(items: readonly unknown[], depth: number): number | string {
  let members = 0
  for (const item of items) {
    const inner = membersOf(item, depth + 1)
    if (typeof inner === 'string') return inner
    members += inner
  }
  return members
}

function membersOfObject(object: Readonly<Record<string, unknown>>, depth: number): number | string {
  let members = 0
  // Of what JSON.parse made each is its own.
  for (const name in object) {
    if (name.length > longestName) return 'has a name that is too long'
    if (name === '__proto__') return 'has a name that is not taken here'
    const inner = membersOf(object[name], depth + 1)
    if (typeof inner === 'string') return inner
    members += 1 + inner
  }
  return members
}

/** How many names of members stand in a text that is JSON: a string before a colon is one. */
function namesIn(text: string): number {
  let names = 0
  for (let start = text.indexOf(quote); start !== -1; ) {
    const end = endOfString(text, start)
    if (isBeforeColon(text, end)) names += 1
    start = text.indexOf(quote, end + 1)
  }
  return names
}

/** Where the closing quote is. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf(quote, start + 1); ; end = text.indexOf(quote, end + 1)) {
    let slashes = 0
    while (text.charCodeAt(end - 1 - slashes) === backslash) slashes++
    if (slashes % 2 === 0) return end
  }
}

function isBeforeColon(text: string, end: number): boolean {
  let next = end + 1
  // Blanks of JSON are the only characters up to a space that stand outside of strings.
  while (text.charCodeAt(next) <= 0x20) next++
  return text.charCodeAt(next) === colon
}
