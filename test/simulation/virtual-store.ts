// One PostgreSQL for all instances of a simulation: the real queries on the real tables, in SQLite in memory, reached
// over a network that takes time. It counts what PostgreSQL would be sent.

import type { InstanceRow } from '../../src/storage/sql/cluster/instances.js'
import { isSameSign } from '../../src/storage/sql/cluster/signs-of-life.js'
import { migrations } from '../../src/storage/sql/schema/migrations.js'
import { migrate } from '../../src/storage/sql/sqlite/migrate.js'
import { createConnection, type SqliteConnection } from '../../src/storage/sql/sqlite/sqlite-connection.js'
import { statementsOver } from '../../src/storage/sql/sqlite/sqlite-dialect.js'
import { openSqliteDatabase } from '../../src/storage/sql/sqlite/sqlite-library.js'
import { type Statements, type Store, StoreUnavailable } from '../../src/storage/sql/store.js'
import type { Way } from './network.js'
import type { VirtualTime } from './virtual-time.js'

/** What an instance does with its rows: by the table that a statement names. */
export const tables = ['feed_head', 'changes', 'instances', 'leases', 'begin and commit', 'others'] as const
export type Table = (typeof tables)[number]

/** What PostgreSQL was sent. */
export interface StoreCounts {
  statements: Record<Table, number>
  /** Rows of these tables, others left out, that were read or written. */
  rows: number
  /** About the bytes of questions and answers on the wire. */
  bytes: number
}

export interface VirtualPostgres {
  readonly counts: StoreCounts
  reset(): void
  /** The Store of one instance. */
  connect(way: Way): Store
  close(): void
}

/** A statement is given up after so long, as `store.postgresql.statement` says. */
const STATEMENT_MS = 2_000
/**
 * The frames of the extended protocol around a statement and its answer, as measured. A row is a message of its own, and
 * each of its values has its length before it (PostgreSQL, DataRow).
 */
const FRAME_BYTES = { statement: 140, row: 7, value: 4, transaction: 90 }

/** Empty, with all migrations. `commitMs`: until what was written is on its disk. */
export async function createVirtualPostgres(time: VirtualTime, commitMs: number): Promise<VirtualPostgres> {
  const database = createConnection(await openSqliteDatabase(':memory:'))
  migrate(database, migrations, 0)
  let counts = noCounts()
  /** Until when a transaction holds the row that all who number changes lock. */
  let headLockedUntil = 0
  let last: Promise<unknown> = Promise.resolve()
  /** Transactions that begin at the same moment run one after the other, in no time. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work)
    last = mine.catch(() => {})
    return mine
  }

  const known = createKnownRows()
  const execute = async (sql: string, parameters: readonly unknown[], rows: boolean) => {
    const answer = rows ? known(sql, database.all(sql, parameters)) : database.run(sql, parameters)
    note(counts, sql, parameters, answer)
    return answer
  }
  const connect = (way: Way): Store => {
    const reader = statementsOver((sql, parameters, rows) =>
      inTime(
        time,
        way.exchange(() => execute(sql, parameters, rows)),
      ),
    )
    const within = async <T>(begin: string, work: (tx: Statements) => Promise<T>): Promise<T> => {
      const transaction = way.exchange(async () => {
        const { answer, statements, locksHead } = await inTurn(() => atOnce(database, begin, execute, work))
        counts.statements['begin and commit'] += 2
        counts.bytes += 2 * FRAME_BYTES.transaction
        const took = { from: Math.max(time.now(), locksHead ? headLockedUntil : 0) }
        await time.delay(took.from - time.now())
        await way.rounds(statements + 1)
        if (begin !== 'begin') await time.delay(commitMs)
        if (locksHead) headLockedUntil = Math.max(headLockedUntil, time.now())
        return answer
      })
      return inTime(time, transaction)
    }
    return {
      kind: 'postgresql',
      reader,
      transaction: (work) => within('begin immediate', work),
      snapshot: (work) => within('begin', work),
      check: async () => void (await reader.selectFrom('feed_head').select('seq').execute()),
      close: async () => {},
    }
  }
  return {
    get counts() {
      return counts
    },
    reset() {
      counts = noCounts()
    },
    connect,
    close: () => database.close(),
  }
}

/** Between two events nobody else runs, so a transaction is atomic without locks. What it costs in time comes after. */
async function atOnce<T>(
  database: SqliteConnection,
  begin: string,
  execute: (sql: string, parameters: readonly unknown[], rows: boolean) => Promise<unknown[] | number>,
  work: (tx: Statements) => Promise<T>,
) {
  let statements = 0
  let locksHead = false
  const tx = statementsOver((sql, parameters, rows) => {
    statements += 1
    locksHead ||= sql.startsWith('update "feed_head"')
    return execute(sql, parameters, rows)
  })
  database.exec(begin)
  try {
    const answer = await work(tx)
    database.exec('commit')
    return { answer, statements, locksHead }
  } catch (error) {
    database.exec('rollback')
    throw error
  }
}

/** What does not come in time is taken for unavailable; it may have been done. */
function inTime<T>(time: VirtualTime, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = time.after(STATEMENT_MS, () => reject(new StoreUnavailable('no answer in time')))
    work.then(resolve, reject).finally(cancel)
  })
}

function noCounts(): StoreCounts {
  const statements = Object.fromEntries(tables.map((table) => [table, 0])) as Record<Table, number>
  return { statements, rows: 0, bytes: 0 }
}

function note(counts: StoreCounts, sql: string, parameters: readonly unknown[], answer: unknown[] | number): void {
  counts.statements[tableOf(sql)] += 1
  const rows = typeof answer === 'number' ? answer : answer.length
  const read = typeof answer === 'number' ? 0 : answer.reduce((sum: number, row) => sum + lengthOf(row), 0)
  counts.rows += rows
  counts.bytes += sql.length + JSON.stringify(parameters).length + FRAME_BYTES.statement + read
}

/** The list of instances is read a million times over: its numbers are as long as each other. */
function lengthOf(row: unknown): number {
  let length = FRAME_BYTES.row
  for (const value of Object.values(row as object)) {
    length += FRAME_BYTES.value + (typeof value === 'string' ? value.length : digits(value))
  }
  return length
}

function digits(value: unknown): number {
  return typeof value === 'number' && value > 1_000_000_000_000 ? 13 : String(value).length
}

/**
 * The list of instances as each of them reads it: a thousand lists of a thousand rows would be a million rows, of which
 * most say the same. One that says the same as the last one of its instance is that one.
 */
function createKnownRows(): (sql: string, rows: unknown[]) => unknown[] {
  const known = new Map<string, InstanceRow>()
  const once = (row: InstanceRow): InstanceRow => {
    const before = known.get(row.id)
    if (before !== undefined && isSameSign(before, row)) return before
    known.set(row.id, row)
    return row
  }
  return (sql, rows) => (listsInstances(sql) ? (rows as InstanceRow[]).map(once) : rows)
}

function listsInstances(sql: string): boolean {
  return sql.startsWith('select') && tableOf(sql) === 'instances'
}

const tableNames = tables.map((table) => [table, new RegExp(`"?\\b${table}\\b"?`)] as const)
const tablesKnown = new Map<string, Table>()

/** The table that a statement is about, of those that instances share. */
export function tableOf(sql: string): Table {
  const known = tablesKnown.get(sql)
  if (known !== undefined) return known
  const isAround = /^(begin|commit|rollback)/i.test(sql)
  const table = isAround ? 'begin and commit' : (tableNames.find(([, name]) => name.test(sql))?.[0] ?? 'others')
  if (tablesKnown.size < 1_000) tablesKnown.set(sql, table)
  return table
}
