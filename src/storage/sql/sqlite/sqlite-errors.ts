// Turns the engine's numeric result codes into what the other rooms know. Codes: sqlite.org/rescode.html.

import { NotWritable, StoreUnavailable, UniqueViolation } from '../store.js'

const BUSY = 5
const LOCKED = 6
const PROTOCOL = 15
/** NOMEM, READONLY, INTERRUPT, IOERR, CORRUPT, FULL, CANTOPEN, NOTADB: nothing a caller did. */
const UNAVAILABLE: ReadonlySet<number> = new Set([7, 8, 9, 10, 11, 13, 14, 26])
const DAMAGED: ReadonlySet<number> = new Set([10, 11, 26])
/** READONLY, FULL. */
const UNWRITABLE: ReadonlySet<number> = new Set([8, 13])
/** IOERR_WRITE, IOERR_FSYNC, IOERR_DIR_FSYNC, IOERR_TRUNCATE, IOERR_SHMSIZE: a disk may be full below the file system. */
const FAILED_WRITES: ReadonlySet<number> = new Set([778, 1034, 1290, 1546, 4874])
const CONSTRAINT_UNIQUE = 2067
const CONSTRAINT_PRIMARYKEY = 1555

/** True when somebody else holds a lock that will be gone soon: the same statement may work a moment later. */
export function isBusy(error: unknown): boolean {
  const primary = resultCode(error) & 0xff
  return primary === BUSY || primary === LOCKED || primary === PROTOCOL
}

/** True when the Store itself failed (disk full, input/output error, damaged file), whatever the statement was. */
export function isOutage(error: unknown): boolean {
  return UNAVAILABLE.has(resultCode(error) & 0xff)
}

/** True when a file cannot be read, or is not what it should be (IOERR, CORRUPT, NOTADB). */
export function isDamaged(error: unknown): boolean {
  return DAMAGED.has(resultCode(error) & 0xff)
}

/** The error that leaves this room for one that the engine threw; errors of others pass unchanged. */
export function translateSqliteError(error: unknown): unknown {
  if (isBusy(error)) return new StoreUnavailable('the database stayed locked', { cause: error })
  if (isUnwritable(error)) return new NotWritable('the database cannot be written', { cause: error })
  if (isOutage(error)) return new StoreUnavailable('the database cannot be used', { cause: error })
  const code = resultCode(error)
  if (code === CONSTRAINT_UNIQUE || code === CONSTRAINT_PRIMARYKEY) {
    return new UniqueViolation('a row with this key exists', { cause: error })
  }
  return error
}

function isUnwritable(error: unknown): boolean {
  const code = resultCode(error)
  return UNWRITABLE.has(code & 0xff) || FAILED_WRITES.has(code)
}

/** The extended result code, or 0 for an error that is not the engine's. */
function resultCode(error: unknown): number {
  if (!(error instanceof Error) || !('errcode' in error)) return 0
  return typeof error.errcode === 'number' ? error.errcode : 0
}
