// Turns what pg throws into what the other rooms know. Codes: PostgreSQL's manual, appendix A (SQLSTATE).
// What leaves is made anew: the package's errors carry rows ("Failing row contains …") and whole connections with them.

import { DatabaseError } from 'pg'
import { InvalidText, NotWritable, StoreUnavailable, UniqueViolation } from '../store.js'
import { UnsafeInteger } from './postgresql-values.js'

/**
 * serialization_failure, deadlock_detected: the same transaction may work a moment later, and nothing of it is there.
 */
const CONFLICTS: ReadonlySet<string> = new Set(['40001', '40P01'])

/** Classes of codes that are nothing a caller did. */
const OUTAGES: ReadonlySet<string> = new Set([
  // Connection, authorization (a password that was changed), resources (53100 disk full, 53300 too many connections).
  '08',
  '28',
  '53',
  // Operator (57014 statement time-out, 57P01 to 57P05 shutdown), system (input and output), damaged data.
  '57',
  '58',
  'XX',
])

/**
 * Single ones: a lock that stayed, a transaction that idled or took too long, a server that only reads, a database that
 * is gone.
 */
const OUTAGE_CODES: ReadonlySet<string> = new Set(['55P03', '25P03', '25P04', '25006', '3D000', '40003'])

/** disk_full, io_error. */
const UNWRITABLE_CODES: ReadonlySet<string> = new Set(['53100', '58030'])

const UNIQUE_VIOLATION = '23505'
/** character_not_in_repertoire, untranslatable_character. */
const INVALID_TEXT: ReadonlySet<string> = new Set(['22021', '22P05'])

/** The transaction lost against others and can be run again: the server has undone it for certain. */
export class TransactionConflict extends StoreUnavailable {}

/** read_only_sql_transaction; and what a server in recovery answers to a transaction that would write. */
const READ_ONLY_CODE = '25006'
const IN_RECOVERY = /recovery|hot standby/

/**
 * True when the server only reads by now: it was the primary when the connection was made, and another is. Statements
 * outside transactions only read, so this is never a statement of the product that forgot to begin one.
 */
function endsTrust(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return false
  return error.code === READ_ONLY_CODE || (error.code === '0A000' && IN_RECOVERY.test(error.message))
}

/**
 * True when the server answered and goes on with this connection; after anything else the connection is not used again.
 */
export function isAnswered(error: unknown): boolean {
  if (endsTrust(error)) return false
  return error instanceof UnsafeInteger || (error instanceof DatabaseError && error.severity === 'ERROR')
}

/**
 * The error for one that a statement or a connection failed with. What pg throws beside the server's
 * own errors means that the connection failed.
 */
export function translatePostgresError(error: unknown): Error {
  if (error instanceof UnsafeInteger) return error
  const cause = plainError(error)
  if (!(error instanceof DatabaseError)) return new StoreUnavailable('the connection to the database failed', { cause })
  const code = error.code ?? ''
  if (CONFLICTS.has(code)) return new TransactionConflict('too many write the same at once', { cause })
  if (UNWRITABLE_CODES.has(code)) return new NotWritable('the database cannot be written', { cause })
  if (OUTAGE_CODES.has(code) || OUTAGES.has(code.slice(0, 2)) || !isAnswered(error)) {
    return new StoreUnavailable('the database cannot be used', { cause })
  }
  if (code === UNIQUE_VIOLATION) return new UniqueViolation('a row with this key exists', { cause })
  if (INVALID_TEXT.has(code)) return new InvalidText('text that the database does not take', { cause })
  return cause
}

/**
 * Its message and its code as a new error, and nothing that hangs on it. Primary messages name tables and constraints,
 * not values of rows.
 */
export function plainError(error: unknown): Error {
  if (!(error instanceof Error)) return new Error('the database driver threw no error')
  const code = 'code' in error && typeof error.code === 'string' ? { code: error.code } : {}
  return Object.assign(new Error(error.message), code)
}
