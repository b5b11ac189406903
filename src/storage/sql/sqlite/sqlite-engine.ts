// What both SQLite engines have in common, as far as the Store uses it. Their errors carry the engine's result code as
// `errcode`. Everything is synchronous.

/** A value as SQLite takes and gives it. Booleans are not among them: the engines disagree on what they mean. */
export type SqliteValue = string | number | null

export interface SqliteStatement {
  all(...parameters: SqliteValue[]): unknown[]
  get(...parameters: SqliteValue[]): unknown
  run(...parameters: SqliteValue[]): { changes: number | bigint; lastInsertRowid: number | bigint }
}

export interface SqliteDatabase {
  exec(sql: string): void
  prepare(sql: string): SqliteStatement
  close(): void
}
