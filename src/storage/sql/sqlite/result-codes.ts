// Fixes the one thing that @photostructure/sqlite 1.2.1 does not do as node:sqlite does: its statements' `all` throws
// without the engine's result code, so that a taken lock, a full disk and a key that exists could not be told apart.

import type { SqliteDatabase, SqliteStatement } from './sqlite-engine.js'

/** The package's database, which knows whether a transaction is open. */
interface PackageDatabase extends SqliteDatabase {
  readonly isTransaction: boolean
}

const BUSY = 5
const IOERR = 10

/** The same database, whose statements throw with `errcode` from `all` too. */
export function withResultCodes(database: PackageDatabase): SqliteDatabase {
  return {
    exec: (text) => database.exec(text),
    close: () => database.close(),
    prepare: (text) => patchedStatement(database, database.prepare(text)),
  }
}

function patchedStatement(database: PackageDatabase, statement: SqliteStatement): SqliteStatement {
  return {
    get: (...parameters) => statement.get(...parameters),
    run: (...parameters) => statement.run(...parameters),
    all(...parameters) {
      const inTransaction = database.isTransaction
      try {
        return statement.all(...parameters)
      } catch (error) {
        if (!isWithoutCode(error)) throw error
        // The engine rolls back by itself on failures of its own only. Outside the transaction nothing is run again.
        if (inTransaction && !database.isTransaction) throw coded(error, IOERR)
        throw failureOf(() => statement.get(...parameters)) ?? coded(error, BUSY)
      }
    },
  }
}

/**
 * What the same statement fails with where the code is not lost. It may succeed this time, because a lock is gone: the
 * failure counts all the same, since the rows are not known; a reader's statement changes nothing, and a transaction in
 * which one failed is rolled back (sqlite-transaction.ts).
 */
function failureOf(again: () => unknown): unknown {
  try {
    again()
    return undefined
  } catch (error) {
    return error
  }
}

function isWithoutCode(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === 'ERR_SQLITE_ERROR' && !('errcode' in error)
}

function coded(cause: Error, errcode: number): Error {
  return Object.assign(new Error(cause.message, { cause }), { errcode })
}
