// Where a move puts rows until all are there: a schema of its own in the target database, which nothing else looks at.
// An instance does not start meanwhile (half-moved.ts). At the end all tables change into the
// schema of the instance in one transaction.

import { moveSchema } from '../postgresql/half-moved.js'
import { migratePostgres } from '../postgresql/postgresql-migrate.js'
import type { PostgresConnection } from '../postgresql/postgresql-pool.js'
import { migrations } from '../schema/migrations.js'
import type { MovedTable } from './moved-tables.js'
import { type MovedRow, type Position, quoted, type ReadRows } from './pages.js'

/** The target cannot take a move; the message says why and what to do. */
export class TargetRefuses extends Error {
  readonly code = 'target_refuses'
}

/** How far a table has come. */
export interface Progress {
  rows: number
  /** The key of its last row; undefined before the first. */
  after: Position | undefined
}

export interface Staging {
  /** How many rows an earlier attempt at this move has left; 0 for a new one. */
  readonly resumed: number
  progressOf(table: MovedTable): Promise<Progress>
  /** Adds a page and notes it in the same transaction. */
  add(table: MovedTable, page: readonly MovedRow[], progress: Progress): Promise<void>
  readonly read: ReadRows
  /** Puts all tables where instances look for them. */
  publish(tables: readonly MovedTable[]): Promise<void>
}

const stage = moveSchema
/** "Portmove" as a number: two moves into one database take turns. */
const LOCK = '5796830446438999909'
/** A page, an index, a lock: none takes longer where something works at all. */
const STATEMENT_MS = 10 * 60 * 1_000
const LOCK_MS = 10_000

/** The schema in which this connection's user makes tables. Throws TargetRefuses when there is none. */
export async function homeOf(connection: PostgresConnection): Promise<string> {
  const { rows } = await connection.run('select current_schema() as home')
  const home = rows[0]?.home as string | null
  if (home === null || home === stage) throw new TargetRefuses('the user of store.url has no schema to make tables in')
  return home
}

/** Whether the database has a store where instances look for it. */
export async function hasStore(connection: PostgresConnection): Promise<boolean> {
  const { rows } = await connection.run(`select to_regclass('schema_migrations') is not null as there`)
  return rows[0]?.there === 1
}

/**
 * Goes on with what an earlier attempt left, or begins anew. `source` tells stores apart: what was left by a move of
 * another, or of an earlier state of this one, is thrown away. The connection stays in the schema of the move. Throws
 * TargetRefuses while another process moves, and what the connection throws.
 */
export async function openStaging(
  connection: PostgresConnection,
  { home, source, nowMs }: { home: string; source: string; nowMs: number },
): Promise<Staging> {
  const { rows: locks } = await connection.run('select pg_try_advisory_lock($1) as held', [LOCK])
  if (locks[0]?.held !== 1) throw new TargetRefuses('another process moves a store into this database')
  const resumed = await leftBy(connection, source)
  if (resumed === undefined) await beginAnew(connection, { source, nowMs })
  await connection.run(`select set_config('search_path', $1, false)`, [stage])
  return {
    resumed: resumed ?? 0,
    async progressOf({ name }) {
      const { rows } = await connection.run('select rows, last_key from move_progress where table_name = $1', [name])
      const [row] = rows as { rows: number; last_key: string | null }[]
      return {
        rows: row?.rows ?? 0,
        after: row?.last_key == null ? undefined : (JSON.parse(row.last_key) as unknown[]),
      }
    },
    async add(table, page, progress) {
      await within(connection, async () => {
        const columns = table.columns.map(quoted).join(', ')
        const name = quoted(table.name)
        await connection.run(
          `insert into ${name} (${columns}) select ${columns} from json_populate_recordset(null::${name}, $1::json)`,
          [JSON.stringify(page)],
          STATEMENT_MS,
        )
        await connection.run(
          `insert into move_progress (table_name, rows, last_key) values ($1, $2, $3)
           on conflict (table_name) do update set rows = excluded.rows, last_key = excluded.last_key`,
          [table.name, progress.rows, JSON.stringify(progress.after)],
        )
      })
    },
    read: async (statement, parameters) =>
      (await connection.run(statement, parameters, STATEMENT_MS)).rows as MovedRow[],
    async publish(tables) {
      await within(connection, async () => {
        await connection.run(`select set_config('lock_timeout', $1, true)`, [String(LOCK_MS)])
        for (const name of ['schema_migrations', ...tables.map((table) => table.name)]) {
          await connection.run(
            `alter table ${quoted(stage)}.${quoted(name)} set schema ${quoted(home)}`,
            [],
            STATEMENT_MS,
          )
        }
        await connection.run(`drop schema ${quoted(stage)} cascade`, [], STATEMENT_MS)
      })
    },
  }
}

/** How many rows an earlier attempt at moving `source` has left; undefined when there is none to go on with. */
async function leftBy(connection: PostgresConnection, source: string): Promise<number | undefined> {
  const there = await connection.run(`select to_regclass($1) is not null as there`, [`${stage}.move_source`])
  if (there.rows[0]?.there !== 1) return undefined
  const { rows } = await connection.run(
    `select source, (select cast(coalesce(sum(rows), 0) as bigint) from ${stage}.move_progress) as rows
       from ${stage}.move_source`,
  )
  const [left] = rows as { source: string; rows: number }[]
  return left?.source === source ? left.rows : undefined
}

/** Makes the schema of the move with empty tables. What marks it as begun comes last. */
async function beginAnew(connection: PostgresConnection, { source, nowMs }: { source: string; nowMs: number }) {
  await within(connection, async () => {
    await connection.run(`drop schema if exists ${quoted(stage)} cascade`, [], STATEMENT_MS)
    await connection.run(`create schema ${quoted(stage)}`)
  })
  await connection.run(`select set_config('search_path', $1, false)`, [stage])
  await migratePostgres(connection, { history: migrations, nowMs, turnMs: LOCK_MS, lockMs: LOCK_MS })
  await within(connection, async () => {
    const { rows } = await connection.run(
      `select table_name as name from information_schema.tables where table_schema = $1 and table_name <> 'schema_migrations'`,
      [stage],
    )
    // Migrations put first rows into some of them, which the source has too.
    const names = (rows as { name: string }[]).map(({ name }) => quoted(name))
    await connection.run(`truncate ${names.join(', ')}`, [], STATEMENT_MS)
    await connection.run(
      'create table move_progress (table_name text primary key, rows bigint not null, last_key text)',
    )
    await connection.run('create table move_source (source text primary key)')
    await connection.run('insert into move_source (source) values ($1)', [source])
  })
}

async function within(connection: PostgresConnection, work: () => Promise<void>): Promise<void> {
  try {
    await connection.run('begin isolation level read committed read write')
    await work()
    await connection.run('commit', [], STATEMENT_MS)
  } catch (error) {
    // Closing it rolls back.
    connection.discard()
    throw error
  }
}
