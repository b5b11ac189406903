// One attempt at a transaction on one connection: begin, work, commit; or nothing at all.

import { type Statements, StoreUnavailable } from '../store.js'
import type { SqliteConnection } from './sqlite-connection.js'
import { statementsOver } from './sqlite-dialect.js'
import { isBusy, isOutage, translateSqliteError } from './sqlite-errors.js'

export type Begin = 'begin immediate' | 'begin'

/**
 * Runs `work` between `begin` and `commit` and gives its result once the commit is durable. When a statement failed,
 * the transaction is over: later statements throw the same and nothing is committed, even if `work` caught the failure.
 * The engine may have rolled back by itself then (disk full), so going on would commit the later half alone; PostgreSQL
 * does the same. Throws the engine's busy and outage errors untranslated, so that the caller can retry; what `work`
 * threw; or the failed statement's error.
 */
export async function attemptTransaction<T>(
  connection: SqliteConnection,
  begin: Begin,
  work: (tx: Statements) => Promise<T>,
): Promise<T> {
  connection.exec(begin)
  const scope = openScope(connection)
  try {
    const result = await work(scope.statements)
    scope.end()
    if (scope.failure() !== undefined) throw scope.failure()
    connection.exec('commit')
    return result
  } catch (error) {
    scope.end()
    rollBack(connection)
    const failure = scope.failure()
    throw failure !== undefined && (isBusy(failure) || isOutage(failure)) ? failure : error
  }
}

function openScope(connection: SqliteConnection) {
  let failure: unknown
  let isOpen = true
  const statements = statementsOver(async (sql, parameters, rows) => {
    if (!isOpen) throw new Error('a statement came after its transaction had ended')
    if (failure !== undefined) throw failure
    try {
      return rows ? connection.all(sql, parameters) : connection.run(sql, parameters)
    } catch (error) {
      failure = isBusy(error) || isOutage(error) ? error : translateSqliteError(error)
      throw failure
    }
  })
  return {
    statements,
    failure: (): unknown => failure,
    end(): void {
      isOpen = false
    },
  }
}

/**
 * Leaves the connection outside any transaction. `rollback` fails where the engine has rolled back already; a begin
 * that succeeds shows that this was the reason.
 */
function rollBack(connection: SqliteConnection): void {
  try {
    connection.exec('rollback')
  } catch {
    try {
      connection.exec('begin')
      connection.exec('rollback')
    } catch (error) {
      throw new StoreUnavailable('the transaction could not be rolled back', { cause: error })
    }
  }
}
