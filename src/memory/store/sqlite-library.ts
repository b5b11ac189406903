// Finds the SQLite engine: the one inside the runtime where there is one (Node 22.13 and later), else the package
// @photostructure/sqlite, which has the same API. Only this file knows that there are two.

/** A value as SQLite takes and gives it. Booleans are not among them: the engines disagree on what they mean. */
export type SqliteValue = string | number | null

export interface SqliteStatement {
  all(...parameters: SqliteValue[]): unknown[]
  run(...parameters: SqliteValue[]): { changes: number | bigint; lastInsertRowid: number | bigint }
}

export interface SqliteDatabase {
  exec(sql: string): void
  prepare(sql: string): SqliteStatement
  close(): void
}

interface SqliteLibrary {
  DatabaseSync: new (file: string) => SqliteDatabase
}

/**
 * Opens a database file with whichever engine this runtime has. The connection is untuned; see sqlite-connection.ts.
 * Throws the engine's error when the file cannot be opened.
 */
export async function openSqliteDatabase(file: string): Promise<SqliteDatabase> {
  const builtin = process.getBuiltinModule('node:sqlite') as unknown as SqliteLibrary | undefined
  const library = builtin ?? ((await import('@photostructure/sqlite')) as unknown as SqliteLibrary)
  return new library.DatabaseSync(file)
}
