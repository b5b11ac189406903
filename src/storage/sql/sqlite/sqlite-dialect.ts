// Kysely in SQLite's SQL, on one synchronous connection.

import { SqliteAdapter, SqliteQueryCompiler } from 'kysely'
import { buildStatements, type Execute } from '../query-builder.js'
import type { Statements } from '../store.js'

/** The query builder over `execute`; see query-builder.ts. */
export function statementsOver(execute: Execute): Statements {
  return buildStatements({ adapter: () => new SqliteAdapter(), compiler: () => new SqliteQueryCompiler() }, execute)
}
