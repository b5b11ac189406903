// Regular expressions of a document. The operator has chosen them, but the texts are anybody's: they are matched by an
// engine whose work is linear in a text's length whatever they say (decision 0089), and how much that is at most is
// bounded here.

import { RE2JS, RE2Set } from 're2js'
import { type Translation, translatePattern, UnsupportedPattern } from './pattern-translation.js'

export interface Pattern {
  test(text: string): boolean
  /** What testing a text can take at most, in milliseconds: many times what it takes usually. */
  worstMs(text: string): number
}

const mostPatterns = 1_000
const mostCharacters = 4_096
/** Written out for the engine; a class of all letters takes some ten thousand. */
const mostWritten = 262_144
const mostInstructions = 2_000
/** Of all patterns of a document together: what making them takes while nothing else runs, a second or two. */
const mostInstructionsInAll = 100_000
const mostWrittenInAll = 4_194_304
/** Texts are shorter than this, and shorter the larger the expression is: the product is what a test takes at most. */
const longestText = 4_096
const mostSteps = 1_000_000
/** Of one instruction at one character, measured with room to spare. */
const stepMs = 0.000_1
/** What the engine remembers of the texts it has seen, for each expression. */
const memoryBytes = 262_144

/** The patterns of one document; `of` throws SyntaxError or UnsupportedPattern, and compiles each text once. */
export interface Patterns {
  of(source: string): Pattern
}

export function createPatterns(): Patterns {
  const known = new Map<string, Pattern>()
  const total = { instructions: 0, written: 0 }
  return {
    of(source) {
      const before = known.get(source)
      if (before !== undefined) return before
      if (known.size === mostPatterns) {
        throw new UnsupportedPattern(`this is one more than the ${mostPatterns} patterns that are compared`, 0)
      }
      const pattern = compile(source)
      total.instructions += pattern.instructions
      total.written += pattern.written
      if (total.instructions > mostInstructionsInAll || total.written > mostWrittenInAll) {
        throw new UnsupportedPattern('the patterns of the document are too large together', 0)
      }
      known.set(source, pattern)
      return pattern
    },
  }
}

function compile(source: string): Pattern & { instructions: number; written: number } {
  if (source.length > mostCharacters) {
    throw new UnsupportedPattern(`longer than ${mostCharacters} characters`, mostCharacters)
  }
  const { conditions, length, leastInstructions } = translatePattern(source)
  // Merely to unroll it takes seconds, and hundreds of megabytes.
  if (leastInstructions > mostInstructions) throw tooLarge(leastInstructions)
  const written = conditions.reduce((sum, { re2 }) => sum + re2.length, 0)
  if (written > mostWritten) {
    throw new UnsupportedPattern('its classes of characters are too large to be written out', 0)
  }
  const instructions = sizeOf(conditions)
  const longest = Math.min(longestText, Math.floor(mostSteps / instructions))
  const parts = conditions.map(({ re2, negated }) => {
    const engine = new RE2Set(RE2Set.UNANCHORED, 0, memoryBytes)
    engine.add(re2)
    engine.compile()
    return { engine, wanted: negated ? 0 : 1 }
  })
  return {
    instructions,
    written,
    test: (text) =>
      text.length <= longest &&
      isOfLength(text, length) &&
      parts.every(({ engine, wanted }) => engine.match(text).length === wanted),
    worstMs: (text) => Math.min(text.length, longest) * instructions * stepMs,
  }
}

/** Instructions of all of them. */
function sizeOf(conditions: Translation['conditions']): number {
  const size = conditions.reduce((sum, { re2 }) => sum + RE2JS.compile(re2).programSize(), 0)
  if (size <= mostInstructions) return size
  throw tooLarge(size)
}

function tooLarge(size: number): UnsupportedPattern {
  return new UnsupportedPattern(
    `written out it has ${size} steps, and ${mostInstructions} are compared; smaller counts or maxLength help`,
    0,
  )
}

function isOfLength(text: string, wanted: Translation['length']): boolean {
  if (wanted === undefined) return true
  const { length } = Array.from(text)
  return length >= wanted.min && length <= wanted.max
}
