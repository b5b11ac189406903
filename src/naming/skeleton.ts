// What a name looks like (UTS 39 §4): two names that have a form in common are taken for one another. Forms are for
// comparing only; nobody is shown one.

import { confusablesTable } from './confusables-table.js'

/**
 * Small capitals, and letters without the rest of their alphabet's shapes, that the table leaves apart from Latin
 * letters.
 */
const small = new Map(zip('ᴀʙᴅᴇꜰɢʜɪᴊᴋĸʟᴍʍɴᴘᴩʀᴛʏτꭲꮖ', 'abdefghijkklmmnpprtytti'))
/** The table has the small palochka beside `i`; every font draws it as `l`. */
const palochka = /[\u04c0\u04cf]/gu
const regional = /[\u{1f1e6}-\u{1f1ff}]/gu
/** Nothing that tells two names apart. */
const between = /[\s\p{Pd}\p{Z}_.,'’‘`´"“”:;!?|/\\()[\]{}<>~*·•]/gu

let table: ReadonlyMap<string, string> | undefined

/**
 * Forms that were computed, the oldest first: a new name is held against all of a tenant's, and those are the same
 * each time.
 */
const known = new Map<string, readonly string[]>()
const mostKnown = 5_000

/**
 * The forms of a name: as it is written, and in small letters. Capitals and small letters resemble different things.
 */
export function formsOf(name: string): readonly string[] {
  const before = known.get(name)
  if (before !== undefined) return before
  const plain = plainOf(name)
  const forms = [...new Set([finish(prototypes(plain)), finish(prototypes(plain.toLowerCase()))])]
  known.set(name, forms)
  const [oldest] = known.size > mostKnown ? known.keys() : []
  if (oldest !== undefined) known.delete(oldest)
  return forms
}

/** Whether somebody could take one name for the other. Names of which nothing is left look like none. */
export function looksLike(one: string, other: string): boolean {
  const forms = formsOf(one)
  return formsOf(other).some((form) => form !== '' && forms.includes(form))
}

/** The forms without accents, for words that nobody may come near. */
export function bareFormsOf(name: string): readonly string[] {
  return formsOf(name.normalize('NFKD').replace(/\p{M}/gu, ''))
}

/** What the letter looks like by the table alone; the letter itself when it is not there. */
export function prototypeOf(character: string): string {
  return characters().get(character) ?? character
}

function plainOf(name: string): string {
  return name
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}|\u20e3/gu, '')
    .replace(regional, (flag) => String.fromCodePoint((flag.codePointAt(0) ?? 0) - 0x1f1e6 + 97))
    .replace(palochka, 'l')
}

function prototypes(text: string): string {
  return [...text.normalize('NFD')].map(prototypeOf).join('').normalize('NFD')
}

function finish(text: string): string {
  const letters = [...text.toLowerCase()].map((letter) => small.get(letter) ?? letter)
  return letters.join('').replace(between, '')
}

function characters(): ReadonlyMap<string, string> {
  table ??= new Map(confusablesTable.split(',').flatMap(entriesOf))
  return table
}

function entriesOf(entry: string): [string, string][] {
  const [prototype = '', ...distances] = entry.split(' ')
  const to = prototype.split('.').map((each) => String.fromCodePoint(Number.parseInt(each, 36)))
  let at = 0
  return distances.map((distance) => {
    at += Number.parseInt(distance, 36)
    return [String.fromCodePoint(at), to.join('')]
  })
}

function zip(from: string, to: string): [string, string][] {
  const letters = [...to]
  return [...from].map((letter, at) => [letter, letters[at] ?? letter])
}
