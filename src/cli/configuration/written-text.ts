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
