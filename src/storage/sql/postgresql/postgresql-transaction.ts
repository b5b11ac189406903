// One attempt at a transaction on one connection to PostgreSQL: begin, work, commit; or nothing at all.

import { PostgresAdapter, PostgresQueryCompiler } from 'kysely'
import { buildStatements, type Execute } from '../query-builder.js'
import { type Statements, StoreUnavailable } from '../store.js'
import type { PostgresConnection } from './postgresql-pool.js'

/** The query builder in PostgreSQL's SQL over `execute`; see query-builder.ts. */
export function postgresStatements(execute: Execute): Statements {
  return buildStatements({ adapter: () => new PostgresAdapter(), compiler: () => new PostgresQueryCompiler() }, execute)
}

/** Runs one statement on a connection and gives what Execute gives. Throws as the connection does. */
export async function executeOn(
  connection: PostgresConnection,
  sql: string,
  parameters: readonly unknown[],
  rows: boolean,
): Promise<unknown[] | number> {
  const answer = await connection.run(sql, parameters)
  return rows ? answer.rows : (answer.rowCount ?? 0)
}

/**
 * Runs `work` between the `opening` statements and `commit`, and gives its result once the commit is durable. When a
 * statement failed, the transaction is over: later statements throw the same and nothing is committed, even if `work`
 * caught the failure. Throws StoreUnavailable (TransactionConflict where it may be run again) whatever `work` made of
 * it; else what `work` threw, or the failed statement's error.
 */
export async function attemptTransaction<T>(
  connection: PostgresConnection,
  opening: readonly string[],
  work: (tx: Statements) => Promise<T>,
): Promise<T> {
  const scope = openScope(connection)
  try {
    for (const statement of opening) await connection.run(statement)
    const result = await work(scope.statements)
    await scope.end()
    if (scope.failure() !== undefined) throw scope.failure()
    await commit(connection)
    return result
  } catch (error) {
    await scope.end()
    await rollBack(connection)
    throw scope.failure() instanceof StoreUnavailable ? scope.failure() : error
  }
}

function openScope(connection: PostgresConnection) {
  let failure: unknown
  let isOpen = true
  let last: Promise<unknown> = Promise.resolve()
  const runNow: Execute = async (sql, parameters, rows) => {
    if (!isOpen) throw new Error('a statement came after its transaction had ended')
    if (failure !== undefined) throw failure
    try {
      return await executeOn(connection, sql, parameters, rows)
    } catch (error) {
      failure = error
      throw error
    }
  }
  const statements = postgresStatements((sql, parameters, rows) => {
    // One after the other, also where `work` starts several at once: a connection runs one at a time.
    const mine = last.then(() => runNow(sql, parameters, rows))
    last = mine.catch(() => {})
    return mine
  })
  return {
    statements,
    failure: (): unknown => failure,
    /** Resolves when no statement is under way and none can begin. */
    async end(): Promise<void> {
      isOpen = false
      await last
    },
  }
}

/**
 * What a failed commit leaves is not known, unless the server said so; it is never tried again. A warning comes where
 * the commit is on this server's disk, but its administrator ended the waiting for a standby that has not confirmed it.
 */
async function commit(connection: PostgresConnection): Promise<void> {
  const warningsBefore = connection.warnings()
  const { command } = await connection.run('commit')
  if (command !== 'COMMIT') throw new StoreUnavailable('the database rolled back instead of committing')
  if (connection.warnings() > warningsBefore) throw new StoreUnavailable('committed, but not confirmed by the standby')
}

/** A connection on which that fails is closed, which rolls back too. */
async function rollBack(connection: PostgresConnection): Promise<void> {
  if (connection.isBroken()) return
  await connection.run('rollback').catch(() => connection.discard())
}
