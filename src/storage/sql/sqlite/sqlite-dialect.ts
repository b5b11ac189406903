// Kysely in SQLite's SQL, on one synchronous connection.

import { type CompiledQuery, type QueryId, type RootOperationNode, SqliteAdapter, SqliteQueryCompiler } from 'kysely'
import { buildStatements, type Execute } from '../query-builder.js'
import type { Statements } from '../store.js'

/** The query builder over `execute`; see query-builder.ts. */
export function statementsOver(execute: Execute): Statements {
  return buildStatements({ adapter: () => new SqliteAdapter(), compiler: () => new LocklessCompiler() }, execute)
}

class LocklessCompiler extends SqliteQueryCompiler {
  /** SQLite has one writer and no locks of rows: what a query says of them at its end is left out. */
  override compileQuery(node: RootOperationNode, queryId: QueryId): CompiledQuery {
    const isLocking = node.kind === 'SelectQueryNode' && node.endModifiers !== undefined
    return super.compileQuery(isLocking ? { ...node, endModifiers: [] } : node, queryId)
  }
}
