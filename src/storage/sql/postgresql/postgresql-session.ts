// What a connection to PostgreSQL must be before it is used: durable, able to write, in UTF-8, with time-outs of its
// own.

import { DatabaseError } from 'pg'
import { StoreUnavailable } from '../store.js'
import { type EngineChoice, requireEngine } from './postgresql-engine.js'
import { UnsafeDatabase } from './unsafe-database.js'

/** Runs one statement with parameters and gives its rows. */
export type Ask = (sql: string, parameters: readonly (string | number)[]) => Promise<unknown[]>

interface SessionRow {
  fsync: string
  encoding: string
  replica: number
  commit: string
}

/** Which history of the database a server writes; undefined: it does not say. */
export interface SessionFacts {
  /** The same in a primary and its standbys. */
  system: string | undefined
  /** Each promotion begins a higher one. */
  timeline: number | undefined
}

export interface SessionTerms {
  statementMs: number
  engine: EngineChoice
}

const history = `select (select system_identifier::text from pg_control_system()) as system,
  ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int as timeline`

// One round trip. Set for the session, not sent when connecting: some poolers refuse start-up parameters. Statements
// outside transactions only read, so that nothing is written through the reader; transactions say what they are.
const setUp = `select
  set_config('statement_timeout', $1, false),
  set_config('lock_timeout', '0', false),
  set_config('idle_in_transaction_session_timeout', $1, false),
  set_config('default_transaction_read_only', 'on', false),
  set_config('default_transaction_isolation', 'read committed', false),
  set_config('client_encoding', 'UTF8', false),
  set_config('synchronous_commit',
    case current_setting('synchronous_commit') when 'remote_apply' then 'remote_apply' else 'on' end, false) as commit,
  current_setting('fsync') as fsync,
  current_setting('server_encoding') as encoding,
  pg_is_in_recovery() as replica`

/**
 * Sets a new connection up. A commit is on disk before it is answered: `synchronous_commit` is at least on, and a
 * server with `fsync` off is refused. `statementMs` bounds each statement, waiting for locks included, and each pause
 * inside a transaction, so that an instance that stands still does not hold others up for longer. Throws
 * UnsafeDatabase, StoreUnavailable for a replica, and what `ask` throws.
 */
export async function prepareSession(ask: Ask, { statementMs, engine }: SessionTerms): Promise<SessionFacts> {
  const [server] = (await ask('select version() as version', [])) as { version: string }[]
  requireEngine(server?.version ?? '', engine)
  const [row] = (await ask(setUp, [String(Math.ceil(statementMs))])) as SessionRow[]
  if (row === undefined) throw new UnsafeDatabase('the database did not say what it is')
  if (row.replica !== 0) throw new StoreUnavailable('the database is a replica, which only reads')
  if (row.fsync !== 'on')
    throw new UnsafeDatabase('the database runs with fsync = off: it may lose what it acknowledged')
  if (row.encoding !== 'UTF8') throw new UnsafeDatabase(`the database keeps text as ${row.encoding}: it must be UTF8`)
  if (row.commit !== 'on' && row.commit !== 'remote_apply') {
    throw new UnsafeDatabase('the database would not keep synchronous_commit = on')
  }
  return historyOf(ask)
}

/** Not every provider lets these functions be called. */
async function historyOf(ask: Ask): Promise<SessionFacts> {
  const unknown = { system: undefined, timeline: undefined }
  const rows = (await ask(history, []).catch((error: unknown) => {
    if (error instanceof DatabaseError && error.severity === 'ERROR') return []
    throw error
  })) as SessionFacts[]
  return rows[0] ?? unknown
}
