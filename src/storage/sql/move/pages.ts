// The rows of a table in the order of its key, a page after the other. The same statement and the same order on both
// engines: text is compared by code point on both (postgresql-migrate.ts).

import type { MovedTable } from './moved-tables.js'

/** A row by its columns. Both engines give text, safe integers, fractions and null. */
export type MovedRow = Readonly<Record<string, unknown>>

/** Runs a statement with `$1`-style parameters, on either engine. */
export type ReadRows = (statement: string, parameters: readonly unknown[]) => Promise<MovedRow[]>

/** Rows a page: some hundred KB. */
export const pageRows = 1_000

/** Where a page ended: the values of the key of its last row. */
export type Position = readonly unknown[]

/** The page behind `after`; from the first row when undefined. Empty when there are no more. */
export async function readPage(read: ReadRows, table: MovedTable, after: Position | undefined): Promise<MovedRow[]> {
  const keys = table.key.map(quoted).join(', ')
  const behind =
    after === undefined ? '' : ` where (${keys}) > (${table.key.map((_, index) => `$${index + 1}`).join(', ')})`
  const columns = table.columns.map(quoted).join(', ')
  const statement = `select ${columns} from ${quoted(table.name)}${behind} order by ${keys} limit ${pageRows}`
  return read(statement, after ?? [])
}

/** Where `page` ends. */
export function endOf(table: MovedTable, page: readonly MovedRow[]): Position | undefined {
  const last = page.at(-1)
  return last === undefined ? undefined : table.key.map((column) => last[column])
}

/** A name of ours as it is written in a statement. */
export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
