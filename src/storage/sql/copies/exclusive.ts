// A database file that nobody else has open: what a restore replaces and a move reads.

import { lstat } from 'node:fs/promises'
import { retryWhileBusy } from '../sqlite/busy-retry.js'
import { createConnection, type SqliteConnection } from '../sqlite/sqlite-connection.js'
import { isBusy } from '../sqlite/sqlite-errors.js'
import { openSqliteDatabase } from '../sqlite/sqlite-library.js'
import { StoreUnavailable } from '../store.js'
import { NotADatabase } from './database-facts.js'

/** Another process has the file open. */
export class DatabaseInUse extends Error {
  readonly code = 'database_in_use'
}

/** A process that is ending lets go of the file within this. */
const PATIENCE_MS = 2_000

/**
 * Opens a file so that no other process can until it is closed, with nothing left in a log beside it: the file alone is
 * the whole database. Throws DatabaseInUse, NotADatabase, file system errors, and the engine's errors for a file that it cannot read.
 */
export async function openExclusively(file: string): Promise<SqliteConnection> {
  // Opening would make an empty database where there is none.
  if (!(await lstat(file)).isFile()) throw new NotADatabase(`${file} is not a file`)
  const connection = createConnection(await openSqliteDatabase(file))
  try {
    connection.exec('pragma busy_timeout = 0')
    connection.exec('pragma locking_mode = exclusive')
    connection.exec('pragma trusted_schema = off')
    connection.exec('pragma synchronous = full')
    const patience = { deadline: performance.now() + PATIENCE_MS, random: Math.random }
    // Leaving the write-ahead log needs the file for oneself, and moves everything into it.
    await retryWhileBusy(() => connection.exec('pragma journal_mode = delete'), patience)
    connection.exec('begin exclusive')
    connection.exec('commit')
  } catch (error) {
    connection.close()
    if (!isBusy(error) && !(error instanceof StoreUnavailable && isBusy(error.cause))) throw error
    throw new DatabaseInUse('another process has it open', { cause: error })
  }
  return { ...connection, close: () => letGo(connection) }
}

/** The package closes only once its statements have been collected: until then it would keep the lock. */
function letGo(connection: SqliteConnection): void {
  connection.exec('pragma locking_mode = normal')
  connection.exec('begin; select 1 from sqlite_master; commit')
  connection.close()
}
