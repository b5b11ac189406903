// Sets of characters as ranges of code points, exactly as ECMA-262 has them: what a property of Unicode holds is
// checked against the engine itself.

import type { AST } from '@eslint-community/regexpp'

/** The first and the last code point. */
export type Range = readonly [number, number]

type Single = AST.Character | AST.CharacterSet | AST.CharacterClass
type InClass = AST.Character | AST.CharacterSet | AST.CharacterClassRange

const last = 0x10ffff
const lineEnds: readonly Range[] = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
]
const digits: readonly Range[] = [[0x30, 0x39]]
const wordCharacters: readonly Range[] = [...digits, [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]]
/** ECMA-262 §12.2 and §12.3. */
const spaces: readonly Range[] = [
  [0x09, 0x0d],
  ...[0x20, 0xa0, 0x1680, 0x202f, 0x205f, 0x3000, 0xfeff].map((code) => [code, code] as const),
  [0x2000, 0x200a],
  [0x2028, 0x2029],
]
/** Asking takes some tens of milliseconds, for each property once. */
const rangesOfText = new Map<string, readonly Range[]>()

/** A single character of an expression, as a class of RE2. */
export function writeSingle(element: Single): string {
  const ranges = rangesOf(element)
  // RE2 has no empty class.
  if (ranges.length === 0) return `[^\\x{0}-\\x{${last.toString(16)}}]`
  return `[${ranges.map(([from, to]) => `\\x{${from.toString(16)}}-\\x{${to.toString(16)}}`).join('')}]`
}

function rangesOf(element: Single | InClass): readonly Range[] {
  switch (element.type) {
    case 'Character':
      return [[element.value, element.value]]
    case 'CharacterClassRange':
      return [[element.min.value, element.max.value]]
    case 'CharacterSet':
      return rangesOfSet(element)
    default: {
      const ranges = element.elements.flatMap((one) => rangesOf(one as InClass))
      return element.negate ? complement(ranges) : ranges
    }
  }
}

function rangesOfSet(set: AST.CharacterSet): readonly Range[] {
  if (set.kind === 'any') return complement(lineEnds)
  if (set.kind === 'property') return rangesOfProperty(set.raw)
  const ranges = { digit: digits, word: wordCharacters, space: spaces }[set.kind]
  return set.negate ? complement(ranges) : ranges
}

/** `\p{Script=Greek}` or `\P{L}`, as it was written. */
function rangesOfProperty(raw: string): readonly Range[] {
  const known = rangesOfText.get(raw)
  if (known !== undefined) return known
  const expression = new RegExp(`^${raw}$`, 'u')
  const ranges: [number, number][] = []
  for (let code = 0; code <= last; code++) {
    if (!expression.test(String.fromCodePoint(code))) continue
    const before = ranges.at(-1)
    if (before !== undefined && before[1] === code - 1) before[1] = code
    else ranges.push([code, code])
  }
  rangesOfText.set(raw, ranges)
  return ranges
}

function complement(ranges: readonly Range[]): readonly Range[] {
  const out: Range[] = []
  let next = 0
  for (const [from, to] of [...ranges].sort(([one], [other]) => one - other)) {
    if (from > next) out.push([next, from - 1])
    next = Math.max(next, to + 1)
  }
  return next > last ? out : [...out, [next, last]]
}
