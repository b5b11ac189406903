// JSON that everybody reads alike. A member that stands twice is one value to one reader and another to the next, so
// what was checked here would not be what the service gets; neither is a member read that objects have by nature.

export type JsonText = { value: unknown } | { wrong: string }

const deepest = 128
const longestName = 4_096

/** The value of a body's bytes; UTF-8 without a byte order mark (RFC 8259 §8.1). */
export function readJson(bytes: Buffer): JsonText {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    return readJsonText(text)
  } catch {
    return { wrong: 'is not JSON in UTF-8' }
  }
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

/** In a text that is JSON: only strings have to be told from the rest, and a string before a colon is a name. */
function ambiguity(text: string): string | undefined {
  const open: (Set<string> | undefined)[] = []
  for (let i = 0; i < text.length; i++) {
    const char = text[i]
    if (char === '{' || char === '[') {
      if (open.push(char === '{' ? new Set() : undefined) > deepest) return 'is nested too deeply'
    } else if (char === '}' || char === ']') open.pop()
    else if (char === '"') {
      const end = endOfString(text, i)
      const names = open.at(-1)
      if (names !== undefined && isBeforeColon(text, end)) {
        const name = nameAt(text, i, end)
        if (name.length > longestName) return 'has a name that is too long'
        if (name === '__proto__') return 'has a name that is not taken here'
        if (names.has(name)) return 'says the same name twice in one object'
        names.add(name)
      }
      i = end
    }
  }
  return undefined
}

/** Where the closing quote is. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let slashes = 0
    while (text[end - 1 - slashes] === '\\') slashes++
    if (slashes % 2 === 0) return end
  }
}

function isBeforeColon(text: string, end: number): boolean {
  let next = end + 1
  while (text[next] === ' ' || text[next] === '\n' || text[next] === '\r' || text[next] === '\t') next++
  return text[next] === ':'
}

function nameAt(text: string, start: number, end: number): string {
  const written = text.slice(start + 1, end)
  return written.includes('\\') ? String(JSON.parse(`"${written}"`)) : written
}
