// The ways a command prints its result: a table for people, which fits their terminal; the same with every column in
// full (`wide`, and in a pipe); JSON for programs; KEY=value lines for a shell.

import { Option } from 'commander'
import { type List, laidOut } from './layout.js'
import { withRelativeTimes } from './relative-time.js'
import { shellQuoted } from './shell-word.js'
import { printable, table, unprintable } from './table.js'
import type { Terminal } from './terminal.js'

export type OutputFormat = 'json' | 'table' | 'wide' | 'env'

/** One line of a record: `label` for the table, `variable` for the shell (absent: not in env). */
export interface Field {
  label: string
  value: string
  variable?: string
}

/** The `-o` option of what is no list. */
export function outputOption(formats: readonly OutputFormat[] = ['table', 'json', 'env']): Option {
  return new Option('-o, --output <format>', 'how to print the result').choices(formats).default('table')
}

/** Prints one record; `whole` is what JSON shows. At a terminal its times say how long ago, as those of lists do. */
export function printRecord(terminal: Terminal, format: OutputFormat, whole: unknown, fields: readonly Field[]): void {
  const width = Math.max(...fields.map(({ label }) => label.length))
  if (format === 'json') printJson(terminal, whole)
  else if (format === 'env') {
    const lines = fields.flatMap(({ variable, value }) => (variable ? [`${variable}=${shellQuoted(value)}\n`] : []))
    terminal.out(lines.join(''))
  } else {
    const nowMs = terminal.now?.() ?? Date.now()
    const inFull = format === 'wide' || terminal.width === undefined
    const text = (value: string) => printable(inFull ? value : withRelativeTimes(value, nowMs))
    terminal.out(fields.map(({ label, value }) => `${label.padEnd(width)}  ${text(value)}\n`).join(''))
  }
}

/** A list, and what is said instead of it when there is nothing in it: that, and what to do next. */
export interface PrintedList extends List {
  empty?: string
}

/** Prints a list: laid out for a terminal, in full elsewhere; `whole` is what JSON shows. */
export function printList(terminal: Terminal, format: OutputFormat, whole: unknown, list: PrintedList): void {
  const { width } = terminal
  if (format === 'json') printJson(terminal, whole)
  else if (list.rows.length === 0) terminal.say(list.empty ?? 'There are none.')
  else {
    const isWhole = format === 'wide' || width === undefined
    const { headings, rows } = isWhole ? list : laidOut(list, width, terminal.now?.() ?? Date.now())
    terminal.out(table(headings, rows))
  }
}

/** Two-space JSON and a newline; whatever a terminal might obey is escaped, which JSON readers undo. */
export function printJson(terminal: Terminal, value: unknown): void {
  // JSON.stringify escapes the control characters below U+0020 itself; the line feeds here are its indentation.
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  const text = JSON.stringify(value, undefined, 2)
  terminal.out(
    `${text
      .split('\n')
      .map((line) => line.replace(unprintable, escaped))
      .join('\n')}\n`,
  )
}

/** The value as one word of a POSIX shell. */
