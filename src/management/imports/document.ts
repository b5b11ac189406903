// The text of another product's export as a value: so much of it and so deep, and no further.

import { RegistrationProblem } from '../registrations/problem.js'

const deepest = 64

/** How much a document may say; absent: any number. */
export interface DocumentBounds {
  /** Objects, lists and members of them. */
  mostValues?: number
}

/** What it says. Throws RegistrationProblem with what is wrong with it; the message quotes nothing of it. */
export function parseDocument(
  bytes: Uint8Array | string,
  { mostValues = Number.POSITIVE_INFINITY }: DocumentBounds = {},
): unknown {
  const text = typeof bytes === 'string' ? bytes : decoded(bytes)
  checkExtent(text, mostValues)
  try {
    return JSON.parse(text)
  } catch (error) {
    // The parser's own message may quote the file, in which there are secrets.
    throw unreadable('it is not JSON', error)
  }
}

/** The problem of a file that cannot be read: `why` goes on a sentence. */
export function unreadable(why: string, cause?: unknown): RegistrationProblem {
  return new RegistrationProblem('what_was_said', `the file cannot be read: ${why}`, { cause })
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    throw unreadable('it is not UTF-8', error)
  }
}

/** Brackets and commas outside of texts, without recursion. */
function checkExtent(text: string, mostValues: number): void {
  let depth = 0
  let values = 0
  let quoted = false
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charCodeAt(at)
    if (quoted) {
      if (character === 0x5c) at += 1
      else if (character === 0x22) quoted = false
    } else if (character === 0x22) quoted = true
    else if (character === 0x5b || character === 0x7b) {
      depth += 1
      values += 1
      if (depth > deepest) throw unreadable('it is nested too deeply')
    } else if (character === 0x5d || character === 0x7d) depth -= 1
    else if (character === 0x2c) values += 1
    if (values > mostValues)
      throw unreadable(`it has more than ${mostValues} values: export fewer clients at a time, without users`)
  }
}
