// Text for people: columns that line up, and nothing in it that a terminal would obey.

import { displayWidth, padded } from './display-width.js'

/**
 * Control characters, bidirectional overrides and line separators: a name must not move the cursor or hide itself (X4).
 */
export const unprintable = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g

/** The text with every character that a terminal might obey written as `\u{…}`. */
export function printable(value: string): string {
  return value.replace(unprintable, (character) => `\\u{${character.charCodeAt(0).toString(16)}}`)
}

/** Rows under headings, columns two spaces apart, no trailing blanks; ends with a newline. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [headings, ...rows].map((row) => row.map(printable))
  const widths = headings.map((_, column) => Math.max(...cells.map((row) => displayWidth(row[column] ?? ''))))
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => padded(cell, widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  return `${cells.map(line).join('\n')}\n`
}
