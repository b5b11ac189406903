// A text that came from elsewhere, as it is written into a configuration that is proposed: it stays text. A reference in
// it would put a variable or a file of this machine where people of tenants read it.

import { unprintable } from '../output/table.js'

/** A sentence for people: one line, whole characters, and no reference; `most` characters long at most. */
export function plainText(text: string, most: number): string {
  const once = text.replace(unprintable, ' ').replace(/\s+/g, ' ').trim().slice(0, most)
  // Half of a surrogate pair is nothing that a file of UTF-8 can have.
  const whole = Buffer.from(once).toString()
  return whole.replace(/^file:/i, 'file ').replaceAll('${', () => '$${')
}

/** Between quotes, in JSON's way, which is YAML's too; nothing is left that ends a line or turns a text round. */
export function quotedText(text: string): string {
  return JSON.stringify(text).replace(
    unprintable,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** What YAML 1.1 and 1.2 read as something else than a text; what begins like a number is quoted anyway. */
const words = new Set(['null', 'true', 'false', 'yes', 'no', 'on', 'off', 'y', 'n'])
const afterFirst = String.raw`[\p{L}\p{N}_./+@-]`
const plain = new RegExp(String.raw`^[\p{L}_/](?:${afterFirst}|[ :](?=${afterFirst}))*$`, 'u')

/**
 * A name as a key or a value, in a line of its own or between brackets: as it is, and between quotes where YAML would
 * read something else.
 */
export function nameText(name: string): string {
  return plain.test(name) && !words.has(name.toLowerCase()) ? name : quotedText(name)
}
