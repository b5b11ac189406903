// Every row of one database beside the row of the other with the same key: nothing lost, nothing added, nothing changed.

import type { MovedTable } from './moved-tables.js'
import { endOf, type MovedRow, type Position, type ReadRows, readPage } from './pages.js'

/** The two databases are not the same. The message names the table, and no content of a row. */
export class RowsDiffer extends Error {
  readonly code = 'rows_differ'
}

/** Compares a table of two databases row by row; answers how many rows each has. Throws RowsDiffer. */
export async function compareTable(source: ReadRows, target: ReadRows, table: MovedTable): Promise<number> {
  let compared = 0
  let after: Position | undefined
  for (;;) {
    const [ours, theirs] = [await readPage(source, table, after), await readPage(target, table, after)]
    if (ours.length !== theirs.length) {
      throw new RowsDiffer(`${table.name} has another number of rows behind its row ${compared}`)
    }
    const different = ours.findIndex((row, index) => !sameRow(table, row, theirs[index]))
    if (different >= 0) throw new RowsDiffer(`row ${compared + different + 1} of ${table.name} is another one`)
    if (ours.length === 0) return compared
    compared += ours.length
    after = endOf(table, ours)
  }
}

function sameRow(table: MovedTable, one: MovedRow, other: MovedRow | undefined): boolean {
  return other !== undefined && table.columns.every((column) => one[column] === other[column])
}
