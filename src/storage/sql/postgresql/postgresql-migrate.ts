// Brings a PostgreSQL database to this program's schema: all missing migrations in one transaction under an advisory
// lock, so a process killed inside leaves the old schema, and of two that start together one migrates and the other
// finds it done.

import { type AppliedMigration, historyTable, type Migration, missingMigrations } from '../schema/schema-history.js'
import type { PostgresConnection } from './postgresql-pool.js'

export interface PostgresMigrateOptions {
  history: readonly Migration[]
  /** Epoch milliseconds, noted beside each migration. */
  nowMs: number
  /** How long to wait for another process that migrates. */
  turnMs: number
  /** How long a statement may wait for a table that others use, while everybody else waits behind it. */
  lockMs: number
}

/** "Portcull" as a number: nobody else in the database should lock it. */
const LOCK = '5796830446438083692'
/** An index on a large table takes its time. */
const STATEMENT_MS = 10 * 60 * 1_000

/**
 * Applies what is missing. Throws UnknownSchema, StoreUnavailable (then nothing has changed and it may be called
 * again), and errors of the statements.
 */
export async function migratePostgres(connection: PostgresConnection, options: PostgresMigrateOptions): Promise<void> {
  try {
    // Read without the lock first, so that starting beside others needs none.
    if ((await pending(connection, options.history)).length === 0) return
    await connection.run('begin isolation level read committed read write')
    await waitAtMost(connection, options.turnMs)
    await connection.run('select pg_advisory_xact_lock($1)', [LOCK], options.turnMs + STATEMENT_MS)
    await waitAtMost(connection, options.lockMs)
    await connection.run(inOrderOfCodePoints(historyTable))
    for (const migration of await pending(connection, options.history))
      await apply(connection, migration, options.nowMs)
    await connection.run('commit', [], STATEMENT_MS)
  } catch (error) {
    // Closing it rolls back.
    connection.discard()
    throw error
  }
}

async function waitAtMost(connection: PostgresConnection, lockMs: number): Promise<void> {
  await connection.run(`select set_config('lock_timeout', $1, true), set_config('statement_timeout', $2, true)`, [
    String(Math.ceil(lockMs)),
    String(STATEMENT_MS),
  ])
}

async function apply(connection: PostgresConnection, migration: Migration, nowMs: number): Promise<void> {
  for (const statement of migration.statements) {
    await connection.run(inOrderOfCodePoints(statement), [], STATEMENT_MS)
  }
  await connection.run('insert into schema_migrations (version, name, applied_at) values ($1, $2, $3)', [
    migration.version,
    migration.name,
    nowMs,
  ])
}

async function pending(connection: PostgresConnection, history: readonly Migration[]): Promise<readonly Migration[]> {
  const { rows } = await connection.run(`select to_regclass('schema_migrations') is not null as exists`)
  if (rows[0].exists !== 1) return history
  const applied = await connection.run('select version, name from schema_migrations order by version')
  return missingMigrations(history, applied.rows as AppliedMigration[])
}

/** Text is compared and ordered by code point, as in SQLite, whatever language the database was made for. */
function inOrderOfCodePoints(statement: string): string {
  return /^(create|alter) table /.test(statement) ? statement.replaceAll(/ text\b/g, ' text collate "C"') : statement
}
