// One tuned connection to the database file: durable, strict about what it binds, with its statements prepared once.

import { named } from '../../../observability/named-work.js'
import { checkParameter } from '../parameters.js'
import type { SqliteDatabase, SqliteStatement } from './sqlite-engine.js'

/** Enough for every statement of ours; a stream of ever-new statements (lists of changing length) cannot grow it. */
const CACHED_STATEMENTS = 256
const NORMAL = 1
const FULL = 2

export interface SqliteConnection {
  /** Rows of a select, or of a statement with `returning`. Throws InvalidText, TypeError and the engine's errors. */
  all(sql: string, parameters: readonly unknown[]): unknown[]
  /** How many rows a statement without `returning` changed. Throws like `all`. */
  run(sql: string, parameters: readonly unknown[]): number
  /** A statement without parameters or rows. */
  exec(sql: string): void
  close(): void
}

/**
 * Makes a connection durable: a write-ahead log, which the writing connection leaves to durable-log.ts to sync and
 * to log-copier.ts to copy, because both take the event loop for milliseconds; every other one syncs it itself. What
 * a connection starts with depends on the build: so it is set on each connection and read back. Waiting for locks is
 * never left to the engine, which would block the event loop.
 * Throws when the file system cannot do it, and the engine's errors (busy while another process switches the mode).
 */
export function tune(database: SqliteDatabase, access: 'write' | 'read'): void {
  database.exec('pragma busy_timeout = 0')
  const [mode] = database.prepare('pragma journal_mode = wal').all() as { journal_mode: string }[]
  if (mode?.journal_mode !== 'wal') throw new Error('the file system of the database cannot hold a write-ahead log')
  const wanted = access === 'write' ? NORMAL : FULL
  database.exec(`pragma synchronous = ${wanted}`)
  if (access === 'write') database.exec('pragma wal_autocheckpoint = 0')
  // Elsewhere no effect; on macOS fsync alone leaves data in the drive's cache.
  database.exec('pragma fullfsync = on')
  database.exec('pragma checkpoint_fullfsync = on')
  database.exec('pragma foreign_keys = on')
  database.exec('pragma trusted_schema = off')
  database.exec('pragma journal_size_limit = 67108864')
  if (access === 'read') database.exec('pragma query_only = on')
  const [synchronous] = database.prepare('pragma synchronous').all() as { synchronous: number }[]
  if (synchronous?.synchronous !== wanted) throw new Error(`the database would not keep synchronous = ${wanted}`)
}

/** Wraps a tuned database. Parameters are checked, statements cached by their text, the least recently used leaves. */
export function createConnection(database: SqliteDatabase): SqliteConnection {
  const statements = new Map<string, SqliteStatement>()
  const prepared = (sql: string): SqliteStatement => {
    const known = statements.get(sql)
    const statement = known ?? database.prepare(sql)
    statements.delete(sql)
    statements.set(sql, statement)
    if (statements.size > CACHED_STATEMENTS) {
      for (const oldest of statements.keys()) {
        statements.delete(oldest)
        break
      }
    }
    return statement
  }
  return {
    all: (sql, parameters) => named(sql, () => prepared(sql).all(...parameters.map(checkParameter))),
    run: (sql, parameters) => named(sql, () => Number(prepared(sql).run(...parameters.map(checkParameter)).changes)),
    exec: (sql) => named(sql, () => database.exec(sql)),
    close() {
      statements.clear()
      database.close()
    },
  }
}
