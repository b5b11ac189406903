// How a rule says what a restore does with a table: which columns are data of the copy, and what has ended since and
// stays so. A test holds every column of every table to exactly one of them.

/** Whose a row is. Of what is gone as a whole nothing has ended: that is what somebody wants back. */
export type Owner = 'applications' | 'tenants' | 'users' | 'apis'

/** For people: what could come back to life. It is printed with a number before it, and, where nobody knows, without. */
export type Label = string

/** Columns in which the present wins where both databases have the row. In the SQL `n` is the row of now, `e` the copy's. */
export interface Ended {
  what: Label
  columns: readonly string[]
  /** When; without it, whenever they differ. */
  when?: string
  /** How, where no single update says it: special-cases.ts has it by table. */
  special?: true
}

/** What becomes of rows of the copy that the present does not have. */
export type Rows =
  /** They come back. */
  | 'copy'
  /** All end, those that are still there too: they work once. */
  | 'end'
  /** The change log, which goes on behind a gap, and what belongs to it. */
  | 'log'
  /** They end while their owners are still there; `mirrored`: and what is new or other in the present is taken over. */
  | { what: Label; owners: Readonly<Record<string, Owner>>; mirrored?: true }
  /** All rows of the table are those of now. */
  | { what: Label; ofNow: true }

export interface TableRule {
  /** By whom it would be missed, for the list of what is not known. */
  of: Subject
  rows: Rows
  /** What a row is known by. */
  key: readonly string[]
  /** Data of the copy. */
  copied: readonly string[]
  ended: readonly Ended[]
  /** All of it ends anyway unless tokens are kept, so it is not among what nobody knows. */
  issued?: true
}

export const subjects = ['applications', 'people', 'tenants', 'server'] as const
export type Subject = (typeof subjects)[number]

/** A table whose rows are data of the copy. */
export function data(of: Subject, key: readonly string[], copied: readonly string[]): TableRule {
  return { of, rows: 'copy', key, copied, ended: [] }
}

/** A column that stays at its strict value. */
export function stays(what: Label, column: string, strict: string): Ended {
  return { what, columns: [column], when: `n.${column} = '${strict}' and e.${column} <> '${strict}'` }
}

/** A column whose values are ordered: the present wins when it stands before, `strict` first. */
export function stricter(what: Label, column: string, values: readonly string[]): Ended {
  const rank = (row: string) =>
    `(case ${row}.${column} ${values.map((value, at) => `when '${value}' then ${at}`).join(' ')} else ${values.length} end)`
  return { what, columns: [column], when: `${rank('n')} < ${rank('e')}` }
}
