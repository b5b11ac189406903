// Which columns of a list fit a terminal, and how wide they are there. Nothing here is for programs: what goes into a
// pipe, and `-o wide`, has every column in full.

import { displayWidth, shortened, shortenedAtStart } from './display-width.js'
import { isTime, relativeTime } from './relative-time.js'
import { printable } from './table.js'

/** A list as a command has it: cells are full text, times as the API writes them. */
export interface List {
  headings: readonly string[]
  rows: readonly (readonly string[])[]
  /** Headings that say where rather than what: left out where all rows have the same. */
  context?: readonly string[]
  /** Headings of names that people type: shortened after all others. */
  typed?: readonly string[]
  /** Headings in the order in which they are given up for want of room; absent: from the last to the second. */
  firstToGo?: readonly string[]
}

interface Column {
  heading: string
  cells: string[]
  natural: number
  /** What it can be shortened to. */
  least: number
}

const gap = 2
/** Shorter than this, nobody recognises a name. */
const shortest = 12
/** Nearly all names that people type are shorter. */
const typedName = 40

/** The list as it is shown in `width` columns at the time `nowMs`. */
export function laidOut(list: List, width: number, nowMs: number): { headings: string[]; rows: string[][] } {
  let columns = list.headings
    .map((heading, at) =>
      columnOf(
        heading,
        list.rows.map((row) => row[at] ?? ''),
        nowMs,
        list.typed?.includes(heading) === true,
      ),
    )
    .filter((column, at) => at === 0 || !saysNothing(column, list))
  for (const heading of goingOrder(list)) {
    if (widthOf(columns, 'least') <= width) break
    columns = columns.filter((column) => column.heading !== heading)
  }
  const widths = shared(columns, width)
  const shown = columns.map(({ cells }, at) => shortenedCells(cells, widths[at] ?? 0))
  return {
    headings: columns.map(({ heading }) => heading),
    rows: list.rows.map((_, row) => shown.map((cells) => cells[row] ?? '')),
  }
}

/** Shortened at the end; at the start where that tells more of them apart. */
function shortenedCells(cells: readonly string[], width: number): string[] {
  const atEnd = cells.map((cell) => shortened(cell, width))
  const atStart = cells.map((cell) => shortenedAtStart(cell, width))
  return new Set(atStart).size > new Set(atEnd).size ? atStart : atEnd
}

function columnOf(heading: string, full: readonly string[], nowMs: number, isTyped: boolean): Column {
  const cells = full.map((cell) => (isTime(cell) ? relativeTime(cell, nowMs) : printable(cell)))
  const natural = Math.max(displayWidth(heading), ...cells.map(displayWidth))
  // Half an identifier is of no use, and half a number is another one.
  const isWhole = cells.every((cell, at) => cell !== full[at] || /^[-\d.]*$/.test(cell) || isIdentifier(cell))
  return { heading, cells, natural, least: isWhole ? natural : Math.min(natural, isTyped ? typedName : shortest) }
}

const guid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/

/** Something that people copy: no blanks, and digits among its letters; or with a GUID in it. */
function isIdentifier(cell: string): boolean {
  return cell === '' || (/^[\w-]{16,}$/.test(cell) && /\d/.test(cell)) || guid.test(cell)
}

function saysNothing({ heading, cells }: Column, { context = [] }: List): boolean {
  if (cells.every((cell) => cell === '')) return true
  return context.includes(heading) && cells.every((cell) => cell === cells[0])
}

function goingOrder({ headings, firstToGo = [] }: List): string[] {
  const rest = headings.slice(1).filter((heading) => !firstToGo.includes(heading))
  return [...firstToGo, ...rest.reverse()]
}

function widthOf(columns: readonly Column[], size: 'natural' | 'least'): number {
  return columns.reduce((sum, column) => sum + column[size], gap * (columns.length - 1))
}

/** The widest are shortened first, and none below its least. */
function shared(columns: readonly Column[], width: number): number[] {
  const widths = columns.map(({ natural }) => natural)
  for (let over = widthOf(columns, 'natural') - width; over > 0; over -= 1) {
    let widest = -1
    for (const [at, column] of columns.entries()) {
      const isShrinkable = (widths[at] ?? 0) > column.least
      if (isShrinkable && (widest < 0 || (widths[at] ?? 0) > (widths[widest] ?? 0))) widest = at
    }
    if (widest < 0) break
    widths[widest] = (widths[widest] ?? 0) - 1
  }
  return widths
}
