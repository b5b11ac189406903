// Somebody else at the same database file: a bare connection that takes the write lock and lets it go.

import { openSqliteDatabase } from '../../../src/storage/sql/sqlite/sqlite-library.js'
import type { TestScope } from './temporary-store.js'

export interface ExternalLock {
  take(): void
  release(): void
  /** Rows of any statement, as another program would read them. */
  all(sql: string): unknown[]
  exec(sql: string): void
}

/** Opens the connection, closed with the test. `take` throws the engine's error when somebody writes right now. */
export async function openExternalLock(t: TestScope, file: string): Promise<ExternalLock> {
  const database = await openSqliteDatabase(file)
  t.teardown(() => database.close())
  return {
    take: () => database.exec('begin immediate'),
    release: () => database.exec('rollback'),
    all: (sql) => database.prepare(sql).all(),
    exec: (sql) => database.exec(sql),
  }
}
