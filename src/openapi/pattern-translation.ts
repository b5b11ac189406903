// A regular expression of ECMA-262 as one that RE2 reads with the same meaning: every set of characters is written out
// as ranges of code points, so that nothing can mean something else there. What RE2 cannot say is refused with its
// position.

import { type AST, RegExpParser } from '@eslint-community/regexpp'
import { writeSingle } from './character-ranges.js'

/** The expression cannot be matched in linear time; the message says why, and where in it. */
export class UnsupportedPattern extends Error {
  /** `index`: of the character that is not understood, from 0. */
  constructor(reason: string, index: number) {
    super(`${reason}, at character ${index + 1} of the pattern`)
  }
}

/** A text fits a pattern when it meets all of its conditions. */
export interface Condition {
  re2: string
  /** A text meets this one when the expression does not match. */
  negated: boolean
}

export interface Translation {
  conditions: readonly Condition[]
  /** How many characters the text may have, where one count is about all of it: RE2 would unroll it. */
  length?: { min: number; max: number }
  /** How many instructions it has at least once its counts are unrolled; known before anything is unrolled. */
  leastInstructions: number
}

/** RE2's own bound, for counts within counts multiplied. */
const mostRepeats = 1_000
/** Groups within groups; code that reads or compares them recurses for each. */
const deepest = 100

/**
 * Read with the flag `u`, as JSON Schema has it. Many patterns were written without it and are none with it: they are
 * read by the grammar of their time, and count characters all the same. Throws SyntaxError and UnsupportedPattern.
 */
export function translatePattern(source: string): Translation {
  refuseDepth(source)
  const unicode = isUnicodePattern(source)
  const parser = new RegExpParser({ ecmaVersion: 2024 })
  const { alternatives } = parser.parsePattern(source, 0, source.length, { unicode })
  if (!unicode) refuseSurrogates(source)
  const [only, ...others] = alternatives
  const leastInstructions = sizeOf(alternatives)
  if (only === undefined || others.length > 0) {
    return { conditions: [matching(alternativesOf(alternatives, 1))], leastInstructions }
  }
  const begin = outerRun(only.elements, 'start', 'lookahead')
  const end = outerRun(only.elements.slice(begin.length).reverse(), 'end', 'lookbehind')
  const looks = [...begin, ...end].filter(isLook)
  const elements = only.elements.filter((one) => !isLook(one) || !looks.includes(one))
  const counted = countOfWhole(elements)
  const conditions = [...looks.map(conditionOf), matching(counted?.re2 ?? sequenceOf(elements, 1))]
  if (counted !== undefined) return { conditions, length: counted, leastInstructions: 1 }
  return { conditions, leastInstructions }
}

/** In a class brackets stand for themselves. */
function refuseDepth(source: string): void {
  let depth = 0
  let inClass = false
  for (const { 0: found, index } of source.matchAll(/\\[\s\S]|[[\]()]/g)) {
    if (found === '[') inClass = true
    else if (found === ']') inClass = false
    else if (!inClass && found === '(') depth += 1
    else if (!inClass && found === ')') depth -= 1
    if (depth > deepest) throw new UnsupportedPattern(`more than ${deepest} groups within each other`, index)
  }
}

/** Of what RE2 would make of them. */
function sizeOf(alternatives: readonly AST.Alternative[]): number {
  return alternatives.reduce((sum, { elements }) => sum + elements.reduce((all, one) => all + sizeOfOne(one), 0), 0)
}

function sizeOfOne(element: AST.Element | AST.QuantifiableElement): number {
  if (isSingle(element as AST.Element)) return 1
  if (element.type === 'Quantifier') {
    return sizeOfOne(element.element) * (element.max === Number.POSITIVE_INFINITY ? element.min : element.max)
  }
  return 'alternatives' in element ? sizeOf(element.alternatives) : 0
}

/** Also says whether it is one at all. */
function isUnicodePattern(source: string): boolean {
  try {
    return new RegExp(source, 'u').unicode
  } catch {
    return new RegExp(source).unicode
  }
}

function refuseSurrogates(source: string): void {
  const index = source.search(/[\ud800-\udfff]|\\u[dD][89a-fA-F]/)
  if (index !== -1) throw new UnsupportedPattern('this needs a pattern that is valid with the flag u', index)
}

function matching(re2: string): Condition {
  return { re2, negated: false }
}

/**
 * What stands at the edge of a text beside `^` or `$`, both in one run; nothing when the run does not name the edge.
 */
function outerRun(
  elements: readonly AST.Element[],
  edge: 'start' | 'end',
  look: 'lookahead' | 'lookbehind',
): readonly AST.Element[] {
  const length = elements.findIndex((one) => one.type !== 'Assertion' || (one.kind !== edge && one.kind !== look))
  const run = elements.slice(0, length === -1 ? elements.length : length)
  return run.some((one) => one.type === 'Assertion' && one.kind === edge) ? run : []
}

function isLook(element: AST.Element): element is AST.LookaroundAssertion {
  return element.type === 'Assertion' && (element.kind === 'lookahead' || element.kind === 'lookbehind')
}

/** `^(?=.*\d)(?!root$).+(?<!-)$`: what is required at the edge of a text is a condition of its own. */
function conditionOf({ kind, negate, alternatives }: AST.LookaroundAssertion): Condition {
  const looked = `(?:${alternativesOf(alternatives, 1)})`
  return { re2: kind === 'lookahead' ? `\\A${looked}` : `${looked}\\z`, negated: negate }
}

/** `^[a-z]{1,2000}$`: any number of them, and how many. */
function countOfWhole(elements: readonly AST.Element[]): { re2: string; min: number; max: number } | undefined {
  const [first, quantifier, last, ...more] = elements
  const isWhole = isAssertion(first, 'start') && isAssertion(last, 'end') && more.length === 0
  if (!isWhole || quantifier?.type !== 'Quantifier') return undefined
  const { element, min, max } = quantifier
  return isSingle(element) ? { re2: `\\A${writeSingle(element)}*\\z`, min, max } : undefined
}

function isAssertion(element: AST.Element | undefined, kind: AST.Assertion['kind']): boolean {
  return element?.type === 'Assertion' && element.kind === kind
}

function isSingle(element: AST.Element): element is AST.Character | AST.CharacterSet | AST.CharacterClass {
  return element.type === 'Character' || element.type === 'CharacterSet' || element.type === 'CharacterClass'
}

function alternativesOf(alternatives: readonly AST.Alternative[], times: number): string {
  return alternatives.map(({ elements }) => sequenceOf(elements, times)).join('|')
}

function sequenceOf(elements: readonly AST.Element[], times: number): string {
  return elements.map((one) => elementOf(one, times)).join('')
}

/** `times`: how often what is around it repeats it. */
function elementOf(element: AST.Element, times: number): string {
  if (isSingle(element)) return writeSingle(element)
  if (element.type === 'Assertion') return assertionOf(element)
  if (element.type === 'Quantifier') return quantifierOf(element, times)
  if (element.type === 'Group' || element.type === 'CapturingGroup') {
    return `(?:${alternativesOf(element.alternatives, times)})`
  }
  const what = element.type === 'Backreference' ? 'a back-reference' : 'this'
  throw new UnsupportedPattern(`${what} cannot be matched in linear time`, element.start)
}

function assertionOf(assertion: AST.Assertion): string {
  if (assertion.kind === 'start') return '\\A'
  if (assertion.kind === 'end') return '\\z'
  if (assertion.kind === 'word') return assertion.negate ? '\\B' : '\\b'
  const allowed =
    assertion.kind === 'lookahead' ? 'a look-ahead only next to the ^' : 'a look-behind only next to the $'
  throw new UnsupportedPattern(`${allowed} of the whole pattern can be matched in linear time`, assertion.start)
}

function quantifierOf({ element, min, max, start }: AST.Quantifier, times: number): string {
  const most = max === Number.POSITIVE_INFINITY ? '' : max
  const repeats = times * Math.max(1, most === '' ? min : max)
  if (repeats > mostRepeats) {
    throw new UnsupportedPattern(`counts multiply to more than ${mostRepeats} (say it with maxLength)`, start)
  }
  return `(?:${elementOf(element, repeats)}){${min},${most}}`
}
