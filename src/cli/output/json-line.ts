// One JSON document a line, for programs that read a stream.

import { unprintable } from './table.js'

/** The line with its end; whatever a terminal might obey is escaped, which JSON readers undo. */
export function jsonLine(value: unknown): string {
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  return `${JSON.stringify(value).replace(unprintable, escaped)}\n`
}
