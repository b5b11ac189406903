// Brings a database file to this program's schema: all missing migrations in one transaction, under the write lock, so
// a process killed inside leaves the old schema, and of two that start together one migrates and the other finds it
// done. Kysely's own migrator has neither for SQLite: it takes no lock there and commits each statement by itself.

import { type AppliedMigration, historyTable, type Migration, missingMigrations } from '../schema/schema-history.js'

/** What migrating needs of a connection. */
export interface MigrationConnection {
  all(sql: string, parameters: readonly unknown[]): unknown[]
  run(sql: string, parameters: readonly unknown[]): number
  exec(sql: string): void
}

/**
 * Applies what is missing. `nowMs` (epoch) is noted beside each migration. Throws UnknownSchema, and the engine's
 * errors, busy among them: then nothing has changed and it may be called again.
 */
export function migrate(connection: MigrationConnection, history: readonly Migration[], nowMs: number): void {
  // Read without the lock first, so that starting beside a busy server needs no write lock.
  if (pending(connection, history).length === 0) return
  connection.exec('begin immediate')
  try {
    connection.exec(sqliteTypes(historyTable))
    for (const migration of pending(connection, history)) apply(connection, migration, nowMs)
    connection.exec('commit')
  } catch (error) {
    rollBackQuietly(connection)
    throw error
  }
}

function apply(connection: MigrationConnection, migration: Migration, nowMs: number): void {
  for (const statement of migration.statements) connection.exec(sqliteTypes(statement))
  connection.run('insert into schema_migrations (version, name, applied_at) values (?, ?, ?)', [
    migration.version,
    migration.name,
    nowMs,
  ])
}

function pending(connection: MigrationConnection, history: readonly Migration[]): readonly Migration[] {
  return missingMigrations(history, appliedMigrations(connection))
}

function appliedMigrations(connection: MigrationConnection): AppliedMigration[] {
  const exists = connection.all("select 1 from sqlite_master where type = 'table' and name = 'schema_migrations'", [])
  if (exists.length === 0) return []
  return connection.all('select version, name from schema_migrations order by version', []) as AppliedMigration[]
}

/**
 * SQLite's strict tables (a text column takes no number, a number column no text, as in PostgreSQL) want its own names
 * for the two number types, and a word at the end.
 */
function sqliteTypes(statement: string): string {
  const renamed = statement.replaceAll(' bigint', ' integer').replaceAll(' double precision', ' real')
  return renamed.startsWith('create table') ? `${renamed} strict` : renamed
}

/** The engine has rolled back by itself after some failures; then there is nothing to undo. */
function rollBackQuietly(connection: MigrationConnection): void {
  try {
    connection.exec('rollback')
  } catch {
    // The failure that led here is the one to report.
  }
}
