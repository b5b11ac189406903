// JSON that everybody reads alike. A member that stands twice is one value to one reader and another to the next, so
// what was checked here would not be what the service gets; neither is a member read that objects have by nature.

import { isUtf8 } from 'node:buffer'

export type JsonText = { value: unknown } | { wrong: string }

const deepest = 128
const longestName = 4_096

/** The value of a body's bytes; UTF-8 without a byte order mark (RFC 8259 §8.1). */
export function readJson(bytes: Buffer): JsonText {
  return isUtf8(bytes) ? readJsonText(bytes.toString()) : { wrong: 'is not JSON in UTF-8' }
}

/** The same for a text. */
export function readJsonText(text: string): JsonText {
  try {
    const value: unknown = JSON.parse(text)
    const wrong = ambiguity(text)
    return wrong === undefined ? { value } : { wrong }
  } catch {
    return { wrong: 'is not JSON in UTF-8' }
  }
}

const [quote, colon, backslash] = [0x22, 0x3a, 0x5c]
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d]

/** In a text that is JSON: only strings have to be told from the rest, and a string before a colon is a name. */
function ambiguity(text: string): string | undefined {
  const open: (Names | undefined)[] = []
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i)
    if (char === openBrace || char === openBracket) {
      if (open.push(char === openBrace ? new Names() : undefined) > deepest) return 'is nested too deeply'
    } else if (char === closeBrace || char === closeBracket) open.pop()
    else if (char === quote) {
      const end = endOfString(text, i)
      const names = open.at(-1)
      if (names !== undefined && isBeforeColon(text, end)) {
        const name = nameAt(text, i, end)
        if (name.length > longestName) return 'has a name that is too long'
        if (name === '__proto__') return 'has a name that is not taken here'
        if (!names.add(name)) return 'says the same name twice in one object'
      }
      i = end
    }
  }
  return undefined
}

/** The names of one object: a list while they are few, which most objects have, then a set. */
class Names {
  readonly #few: string[] = []
  #many: Set<string> | undefined

  /** False: it has this name already. */
  add(name: string): boolean {
    if (this.#many === undefined) {
      if (this.#few.includes(name)) return false
      if (this.#few.push(name) > 8) this.#many = new Set(this.#few)
      return true
    }
    const { size } = this.#many
    return this.#many.add(name).size > size
  }
}

/** Where the closing quote is. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
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

function nameAt(text: string, start: number, end: number): string {
  const written = text.slice(start + 1, end)
  return written.includes('\\') ? String(JSON.parse(`"${written}"`)) : written
}
