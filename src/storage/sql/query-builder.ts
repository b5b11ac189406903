// Kysely over one function that runs a statement. Its own drivers are not used: they know transactions that are not the
// Store's, bind booleans, and let a transaction go on after a statement failed.

import {
  type CompiledQuery,
  type DatabaseConnection,
  type DialectAdapter,
  type Driver,
  Kysely,
  type QueryCompiler,
  type QueryResult,
  SqliteIntrospector,
} from 'kysely'
import type { Tables } from './rows/tables.js'
import type { Statements } from './store.js'

/** Runs one statement. `rows` says whether the statement gives rows; if not, the answer counts the changed ones. */
export type Execute = (sql: string, parameters: readonly unknown[], rows: boolean) => Promise<unknown[] | number>

/** How an engine writes SQL. */
export interface Language {
  adapter: () => DialectAdapter
  compiler: () => QueryCompiler
}

/** The query builder over `execute`. It knows no transactions of its own: those are the Store's (see store.ts). */
export function buildStatements(language: Language, execute: Execute): Statements {
  return new Kysely<Tables>({
    dialect: {
      createAdapter: language.adapter,
      createDriver: () => driverOver(execute),
      // Nobody asks it: migrations know what there is.
      createIntrospector: (database) => new SqliteIntrospector(database),
      createQueryCompiler: language.compiler,
    },
  })
}

function driverOver(execute: Execute): Driver {
  const connection: DatabaseConnection = {
    async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
      const answer = await execute(query.sql, query.parameters, givesRows(query))
      if (typeof answer === 'number') return { rows: [], numAffectedRows: BigInt(answer) }
      return { rows: answer as R[] }
    },
    streamQuery(): never {
      throw new Error('the Store does not stream: read in pages')
    },
  }
  const refuse = async (): Promise<never> => {
    throw new Error('a transaction is started with store.transaction, and never inside another')
  }
  return {
    init: async () => {},
    acquireConnection: async () => connection,
    releaseConnection: async () => {},
    beginTransaction: refuse,
    commitTransaction: refuse,
    rollbackTransaction: refuse,
    destroy: async () => {},
  }
}

/** Raw SQL is run for its rows; a raw statement that gives none answers with no rows and no count. */
function givesRows(query: CompiledQuery): boolean {
  const node = query.query
  switch (node.kind) {
    case 'InsertQueryNode':
    case 'UpdateQueryNode':
    case 'DeleteQueryNode':
      return node.returning !== undefined
    default:
      return true
  }
}
