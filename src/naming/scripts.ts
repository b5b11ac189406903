// Alphabets in a name (UTS 39 §5.1, §5.2): a word is of one, or of those that are written together.

import { hasDisguise } from './characters.js'
import { prototypeOf } from './skeleton.js'

const scripts = [
  ...[
    'Latin',
    'Cyrillic',
    'Greek',
    'Armenian',
    'Cherokee',
    'Coptic',
    'Lisu',
    'Arabic',
    'Hebrew',
    'Georgian',
    'Ethiopic',
  ],
  ...['Han', 'Hiragana', 'Katakana', 'Bopomofo', 'Hangul', 'Devanagari', 'Bengali', 'Gujarati', 'Gurmukhi', 'Kannada'],
  ...['Khmer', 'Lao', 'Malayalam', 'Myanmar', 'Oriya', 'Sinhala', 'Tamil', 'Telugu', 'Thaana', 'Thai', 'Tibetan'],
] as const
const patterns = scripts.map((script) => [script, new RegExp(`\\p{Script=${script}}`, 'u')] as const)
/** Their letters look like those of others, so they stand alone. */
const exclusive = new Set(['Cyrillic', 'Greek', 'Armenian', 'Cherokee', 'Coptic', 'Lisu', 'another'])
/** Written together in East Asia. */
const together = [
  new Set(['Latin', 'Han', 'Hiragana', 'Katakana']),
  new Set(['Latin', 'Han', 'Bopomofo']),
  new Set(['Latin', 'Han', 'Hangul']),
]
const word = /[\p{L}\p{M}]+/gu
const ofNone = /[\p{Script=Common}\p{Script=Inherited}]/u

/**
 * Where the first word begins that mixes alphabets which nobody writes together, with their names; moderately
 * restrictive of UTS 39 §5.2. Characters are counted from 1.
 */
export function mixedWord(name: string): { place: number; scripts: readonly string[] } | undefined {
  const stored = name.normalize('NFC')
  for (const { 0: each, index } of stored.matchAll(word)) {
    const found = scriptsOf(each)
    if (!mayStandTogether(found)) return { place: [...stored.slice(0, index)].length + 1, scripts: found }
  }
  return undefined
}

/**
 * Whether a name has letters that are easily taken for others: one in disguise, a word that mixes alphabets, or words
 * of another alphabet in which each letter looks like a Latin one (whole-script confusables, UTS 39 §4).
 */
export function hasLookalikes(name: string): boolean {
  if (hasDisguise(name) || mixedWord(name) !== undefined) return true
  const otherScript = (name.normalize('NFC').match(word) ?? []).filter((each) =>
    exclusive.has(scriptsOf(each)[0] ?? ''),
  )
  return otherScript.length > 0 && otherScript.every((each) => [...each.replace(/\p{M}/gu, '')].every(looksLatin))
}

function looksLatin(letter: string): boolean {
  return letter === '\u04cf' || /^[A-Za-z]+$/.test(prototypeOf(letter))
}

function scriptsOf(letters: string): string[] {
  const found = patterns.filter(([, pattern]) => pattern.test(letters)).map(([script]) => script as string)
  const rest = [...letters].some((each) => !ofNone.test(each) && !patterns.some(([, pattern]) => pattern.test(each)))
  return rest ? [...found, 'another'] : found
}

function mayStandTogether(found: readonly string[]): boolean {
  if (found.length < 2) return true
  if (together.some((group) => found.every((script) => group.has(script)))) return true
  return found.length === 2 && found[0] === 'Latin' && !exclusive.has(found[1] ?? '')
}
