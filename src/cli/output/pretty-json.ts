// JSON for a person: indented, and coloured where the terminal takes colours. Its tokens stay as they were sent, because
// a number that is read and written again may be another one.

import { coloured } from './colour.js'
import { unprintable } from './table.js'
import type { Terminal } from './terminal.js'

const tokens = /"(?:\\.|[^"\\])*"|[[\]{},:]|[^\s[\]{},:"]+/g

/** The text indented by two blanks a level, with a newline; undefined when it is no JSON. */
export function prettyJson(text: string, terminal: Pick<Terminal, 'colours'>): string | undefined {
  try {
    JSON.parse(text)
  } catch {
    return undefined
  }
  const found = text.match(tokens) ?? []
  let depth = 0
  let written = ''
  const newLine = () => `\n${'  '.repeat(depth)}`
  for (const [at, token] of found.entries()) {
    const isEmpty = '[{'.includes(found[at - 1] ?? '?')
    if (token === '{' || token === '[') {
      depth += 1
      written += token + (']}'.includes(found[at + 1] ?? '?') ? '' : newLine())
    } else if (token === '}' || token === ']') {
      depth -= 1
      written += isEmpty ? token : newLine() + token
    } else if (token === ',') written += token + newLine()
    else written += token === ':' ? ': ' : painted(token, found[at + 1] === ':', terminal)
  }
  return `${written}\n`
}

function painted(token: string, isName: boolean, terminal: Pick<Terminal, 'colours'>): string {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  const safe = token.replace(unprintable, escaped)
  if (isName) return coloured(terminal, 'cyan', safe)
  if (safe.startsWith('"')) return coloured(terminal, 'green', safe)
  return coloured(terminal, /^[-\d]/.test(safe) ? 'yellow' : 'magenta', safe)
}
