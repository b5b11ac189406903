// Finds the SQLite engine: the one inside the runtime where there is one (Node 22.13 and later), else the package
// @photostructure/sqlite, which has the same API. Only this file knows that there are two.

import { withResultCodes } from './result-codes.js'
import type { SqliteDatabase } from './sqlite-engine.js'

interface SqliteLibrary<D> {
  DatabaseSync: new (file: string) => D
}

/**
 * Opens a database file with whichever engine this runtime has. The connection is untuned; see sqlite-connection.ts.
 * Throws the engine's error, which carries its result code as `errcode`, when the file cannot be opened.
 */
export async function openSqliteDatabase(file: string): Promise<SqliteDatabase> {
  const builtin = process.getBuiltinModule('node:sqlite') as unknown as SqliteLibrary<SqliteDatabase> | undefined
  if (builtin !== undefined) return new builtin.DatabaseSync(file)
  const library = await import('@photostructure/sqlite')
  return withResultCodes(new library.DatabaseSync(file))
}
