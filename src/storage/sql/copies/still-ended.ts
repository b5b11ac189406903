// What a database of now knows to have ended stays ended in the copy of earlier that takes its place: a secret that was
// deleted because somebody had read it must not work again. Only of what both have: what is gone as a whole is what
// somebody wants back. rules/ says it for every column.

import { keptTables } from '../registrations/deleted/kept-rows.js'
import type { Tables } from '../rows/tables.js'
import type { SqliteConnection } from '../sqlite/sqlite-connection.js'
import type { Ended, Label, Owner, Rows, TableRule } from './rules/rule-shapes.js'
import { specialCases } from './rules/special-cases.js'
import { columnsOf, tableRules } from './rules/table-rules.js'

/** How many, those of which there are none left out. */
export type Counts = { what: Label; count: number }[]

export interface StillEnded {
  /** What has ended in the copy. */
  ended: Counts
  /** What the present no longer had, and has come back with the copy. */
  back: Counts
}

/**
 * Ends in `copy` what has ended in `present` since. The copy is of this program's schema, the present of this one or a
 * newer one, and continues the copy (lineage.ts). All of it or nothing; `present` is not changed. Throws the engine's errors.
 */
export function keepEnded(present: SqliteConnection, copy: string, nowMs: number): StillEnded {
  present.exec('pragma foreign_keys = on')
  present.run('attach database ? as earlier', [copy])
  try {
    addRestorable(present)
    present.exec('begin immediate')
    const counts = new Map<Label, number>()
    const back = returning.map(([what, statement]) => ({ what, count: rowsOf(present, statement) }))
    for (const [what, statement] of statements(nowMs)) {
      const count = present.run(statement, [])
      if (what !== undefined) counts.set(what, (counts.get(what) ?? 0) + count)
    }
    if (present.all('pragma earlier.foreign_key_check', []).length > 0) throw new Error('rows would have no owner')
    present.exec('commit')
    const ended = [...counts].map(([what, count]) => ({ what, count }))
    return { ended: ended.filter(isAny), back: back.filter(isAny) }
  } catch (error) {
    rollBackQuietly(present)
    throw error
  } finally {
    for (const table of asDeleted) present.exec(`drop table if exists temp.now_${table}`)
    present.exec('detach database earlier')
  }
}

const isAny = ({ count }: { count: number }) => count > 0

/** The engine has rolled back by itself after some failures, or nothing was begun. */
function rollBackQuietly(connection: SqliteConnection): void {
  try {
    connection.exec('rollback')
  } catch {
    // The failure that led here is the one to report.
  }
}

const returning: readonly [Label, string][] = (
  [
    ['tenants', 'tenants'],
    ['applications', 'applications'],
    ['people', 'users'],
    ['APIs', 'apis'],
  ] as const
).map(([what, table]) => [
  what,
  `select count(*) as n from earlier.${table} where id not in (select id from main.${table})`,
])

function rowsOf(connection: SqliteConnection, statement: string): number {
  const [row] = connection.all(statement, []) as { n: number }[]
  return Number(row?.n ?? 0)
}

/** What a deleted application can get back: there, its secrets count as they were when it was deleted. */
const asDeleted = (['applications', ...keptTables] as const).filter(
  (table) => (table !== 'permission_grants' && tableRules[table].rows !== 'copy') || table === 'applications',
)

/** The rows of now with those of deleted applications that can be restored: tables of the connection's own. */
function addRestorable(present: SqliteConnection): void {
  for (const table of asDeleted) {
    const columns = columnsOf(tableRules[table])
    const defaults = defaultsOf(present, table)
    // One that was deleted before a column was added does not have it.
    const kept = columns
      .map((column) => `coalesce(json_extract(k.value, '$.${column}'), ${defaults.get(column)})`)
      .join(', ')
    present.exec(`drop table if exists temp.now_${table}`)
    present.exec(
      `create temp table now_${table} as select ${columns.join(', ')} from main.${table}
         union all select ${kept} from main.deleted_applications d, json_each(d.kept, '$.${table}') k`,
    )
    present.exec(`create index temp.now_${table}_key on now_${table} (${tableRules[table].key.join(', ')})`)
  }
}

/** As SQL; `null` where the schema says none. */
function defaultsOf(connection: SqliteConnection, table: string): ReadonlyMap<string, string> {
  const rows = connection.all('select name, dflt_value as value from pragma_table_info(?)', [table])
  return new Map((rows as { name: string; value: string | null }[]).map(({ name, value }) => [name, value ?? 'null']))
}

const nowOf = (table: string) =>
  (asDeleted as readonly string[]).includes(table) ? `temp.now_${table}` : `main.${table}`

/** In an order in which rows go before what they belong to is compared. */
function* statements(nowMs: number): Generator<[Label | undefined, string]> {
  const special = specialCases(nowMs)
  for (const [name, rule] of Object.entries(tableRules) as [keyof Tables, TableRule][]) {
    yield* removals(name, rule)
    for (const one of rule.ended) {
      if (one.special !== true) yield [one.what, update(name, rule, one)]
      for (const statement of (one.special && special[name]?.counted) ?? []) yield [one.what, statement]
      for (const statement of (one.special && special[name]?.after) ?? []) yield [undefined, statement]
    }
  }
}

function* removals(
  table: keyof Tables,
  { rows, key, copied, ended }: TableRule,
): Generator<[Label | undefined, string]> {
  if (typeof rows !== 'object') return
  const columns = [...key, ...copied, ...ended.flatMap((one) => one.columns)]
  const same = (of: readonly string[]) => of.map((column) => `n.${column} is e.${column}`).join(' and ')
  if ('ofNow' in rows) {
    const listed = columns.join(', ')
    yield [undefined, `delete from earlier.${table}`]
    yield [undefined, `insert into earlier.${table} (${listed}) select ${listed} from main.${table}`]
    return
  }
  const owners = Object.entries(rows.owners)
  const compared = rows.mirrored === true ? columns : [...new Set([...key, ...owners.map(([column]) => column)])]
  // A logo has one of its two owners.
  const isThere = owners.map(
    ([column, owner]) =>
      `(e.${column} is null or exists (select 1 from ${owned(table, owner)} o where o.id = e.${column}))`,
  )
  const isGone = `not exists (select 1 from ${nowOf(table)} n where ${same(compared)})`
  yield [rows.what, `delete from earlier.${table} as e where ${[...isThere, isGone].join(' and ')}`]
  if (owners.some(([column]) => !key.includes(column))) yield [rows.what, takenOver(table, key, rows)]
  if (rows.mirrored !== true) return
  const isOwned = owners.map(([column, owner]) => `exists (select 1 from earlier.${owner} o where o.id = n.${column})`)
  const isNew = `not exists (select 1 from earlier.${table} e where ${same(key)})`
  yield [
    rows.what,
    `insert into earlier.${table} (${columns.join(', ')}) select ${columns.map((column) => `n.${column}`).join(', ')}
       from ${nowOf(table)} n where ${[...isOwned, isNew].join(' and ')}`,
  ]
}

/** A deleted application counts as there for what it gets back with it, and for nothing else. */
const owned = (table: string, owner: Owner) =>
  (asDeleted as readonly string[]).includes(table) ? nowOf(owner) : `main.${owner}`

/** What somebody else has by now is not given back to an owner who is gone, such as a linked identity. */
function takenOver(table: keyof Tables, key: readonly string[], { owners }: Extract<Rows, { owners: object }>): string {
  const same = key.map((column) => `n.${column} = e.${column}`)
  const others = Object.entries(owners).map(
    ([column, owner]) =>
      `(n.${column} <> e.${column} and exists (select 1 from earlier.${owner} o where o.id = n.${column}))`,
  )
  return `delete from earlier.${table} as e where exists
    (select 1 from ${nowOf(table)} n where ${same.join(' and ')} and (${others.join(' or ')}))`
}

function update(table: keyof Tables, { key }: TableRule, { columns, when }: Ended): string {
  const same = key.map((column) => `n.${column} = e.${column}`).join(' and ')
  const differs = `(${columns.map((column) => `n.${column} is not e.${column}`).join(' or ')})`
  return `update earlier.${table} as e set ${columns.map((column) => `${column} = n.${column}`).join(', ')}
    from ${nowOf(table)} as n where ${same} and ${when ?? differs}`
}
