// The Store in PostgreSQL. Transactions of several instances run at the same time; the server keeps them apart (see
// Separation in store.ts), and those that it cannot keep apart run again, one after the other.

import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { connectionsForAll } from '../cluster/server-connections.js'
import { migrations } from '../schema/migrations.js'
import { createSemaphore } from '../semaphore.js'
import { type Separation, type Statements, type Store, StoreUnavailable } from '../store.js'
import { type EngineFacts, readEngine } from './engine-facts.js'
import { tryEngine } from './engine-trial.js'
import { refuseHalfMoved } from './half-moved.js'
import { readPostgresUrl } from './postgresql-address.js'
import type { EngineChoice } from './postgresql-engine.js'
import { TransactionConflict } from './postgresql-errors.js'
import { migratePostgres } from './postgresql-migrate.js'
import { createPostgresPool, type PostgresPool } from './postgresql-pool.js'
import { attemptTransaction, executeOn, postgresStatements } from './postgresql-transaction.js'

export interface PostgresStoreOptions {
  /** See postgresql-address.ts. */
  url: string
  /** PEM of the authorities that may have signed the server's certificate; the runtime's own unless given. */
  ca?: string
  /** `postgresql` unless given. */
  engine?: EngineChoice
  /** How many connections at most. */
  connections: number
  /** How long making a connection may take. */
  connectMs: number
  /** How long a statement may take, waiting for locks included. */
  statementMs: number
  /** How long a call may wait for a connection, and run again after conflicts. */
  waitMs: number
  /** 0 ≤ random() < 1, for the jitter between attempts. */
  random?: () => number
  /** Hears of connections that broke while nobody used them. */
  onError?: (error: unknown) => void
}

/**
 * After the first, one after the other with those of all instances that also lost: a few whatever time it is, more
 * until the call's deadline. Each that loses lost to one that was committed, so a crowd gets done; only who would be in
 * its own way for ever reaches the last.
 */
const ATTEMPTS = { atLeast: 5, atMost: 50 }
const PAUSE_MS = { first: 5, longest: 40 }
/** Connections that writers leave to readers: waiting for a lock must not keep an instance from following the log. */
const FOR_READERS = 2
/** How long another instance may migrate before this one gives up its start. */
const MIGRATION_TURN_MS = 60_000

/**
 * Takes turns without a snapshot: unlike every other statement, `lock table` leaves a serializable transaction to begin
 * after it. The mode excludes only itself, on a table that nothing else locks.
 */
const TAKE_TURN = 'lock table schema_migrations in share update exclusive mode'

/**
 * Opens the database, migrated to this program's schema. Throws InvalidStoreUrl, UnsafeDatabase (fsync off, not UTF-8),
 * UnknownSchema for a newer one, HalfMoved while a
 * store is being moved here, and StoreUnavailable. No error holds a part of the URL.
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const address = readPostgresUrl(options.url, options.ca)
  const pool = createPostgresPool({ ...options, address, onError: options.onError ?? (() => {}) })
  try {
    const migrating = { history: migrations, nowMs: Date.now(), turnMs: MIGRATION_TURN_MS, lockMs: options.waitMs }
    if (options.engine === 'other') await tryEngine(pool, options.statementMs)
    await pool.use(performance.now() + options.waitMs, async (connection) => {
      if (options.engine !== 'other') await readEngine(connection)
      await refuseHalfMoved(connection)
      await migratePostgres(connection, migrating)
    })
  } catch (error) {
    await pool.end()
    throw error
  }
  return storeOver(pool, options)
}

/** What a server says of itself, and what stands around it. */
export interface PostgresProbe extends EngineFacts {
  serverVersion: string
  /** Standbys whose confirmation a commit waits for (`synchronous_standby_names`); empty: none. */
  synchronous: string
  /** Standbys that are connected now. */
  standbys: number
  /** How many connections it takes from all; undefined: it does not say. */
  connections: number | undefined
  /** Instances that noted themselves in the last minute; 0 where no instance has been yet. */
  instances: number
}

const probeRow = `select current_setting('server_version') as version,
  current_setting('synchronous_standby_names') as synchronous,
  (select count(*)::int from pg_stat_replication) as standbys,
  ${connectionsForAll} as connections,
  to_regclass('instances') is not null as has_instances`
const instancesRow = 'select count(*)::int as instances from instances where seen_at > $1'
const LATELY_MS = 60_000

/** Asks a server for its version, on one connection and without changing anything. Throws as openPostgresStore does. */
export async function probePostgres(options: PostgresStoreOptions): Promise<PostgresProbe> {
  const address = readPostgresUrl(options.url, options.ca)
  const pool = createPostgresPool({ ...options, address, connections: 1, onError: options.onError ?? (() => {}) })
  try {
    return await pool.use(performance.now() + options.waitMs, async (connection) => {
      const facts = await readEngine(connection)
      const { rows } = await connection.run(probeRow)
      const { version, synchronous, standbys, connections, has_instances } = rows[0]
      const noted = has_instances === 1 ? await connection.run(instancesRow, [Date.now() - LATELY_MS]) : undefined
      return {
        ...facts,
        serverVersion: String(version),
        synchronous: String(synchronous),
        standbys: Number(standbys),
        connections: connections ?? undefined,
        instances: Number(noted?.rows[0].instances ?? 0),
      }
    })
  } finally {
    await pool.end()
  }
}

function storeOver(pool: PostgresPool, options: PostgresStoreOptions): Store {
  const transactions = createTransactions(pool, options)
  let closed: Promise<void> | undefined
  const requireOpen = (): void => {
    if (closed !== undefined) throw new StoreUnavailable('the Store is closed')
  }
  const reader = postgresStatements(async (text, parameters, rows) => {
    requireOpen()
    return pool.use(performance.now() + options.waitMs, (connection) => executeOn(connection, text, parameters, rows))
  })
  const close = async (): Promise<void> => {
    await transactions.end()
    await pool.end()
  }
  return {
    kind: 'postgresql',
    reader,
    async transaction(work, separation = 'serializable') {
      requireOpen()
      return transactions.write(work, separation)
    },
    async snapshot(work) {
      requireOpen()
      return transactions.run(work, begins.snapshot, performance.now() + options.waitMs)
    },
    async check() {
      await sql`select seq from feed_head`.execute(reader)
    },
    close() {
      closed ??= close()
      return closed
    },
  }
}

function createTransactions(pool: PostgresPool, { connections, waitMs, random = Math.random }: PostgresStoreOptions) {
  const writing = createSemaphore(Math.max(1, connections - FOR_READERS))
  // Those that lock the same row first wait here, not each on a connection of its own.
  const behindLock = createSemaphore()

  const run = <T>(work: (tx: Statements) => Promise<T>, begin: Begin, deadline: number): Promise<T> =>
    pool.use(deadline, async (connection) => {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await attemptTransaction(connection, attempt === 1 ? begin.first : begin.again, work)
        } catch (error) {
          const undone = error instanceof TransactionConflict && !connection.isBroken()
          if (!undone || !mayRunAgain(attempt, deadline)) throw error
        }
        await pause(Math.min(PAUSE_MS.first * 2 ** (attempt - 1), PAUSE_MS.longest) * (0.5 + random() / 2))
      }
    })
  const write = async <T>(work: (tx: Statements) => Promise<T>, separation: Separation): Promise<T> => {
    const deadline = performance.now() + waitMs
    const leaveLock = separation === 'first-lock' ? await behindLock.enter(deadline) : () => {}
    try {
      const leave = await writing.enter(deadline)
      try {
        return await run(work, begins[separation], deadline)
      } finally {
        leave()
      }
    } finally {
      leaveLock()
    }
  }
  const end = async (): Promise<void> => {
    await behindLock.shut()
    await writing.shut()
  }
  return { run, write, end }
}

function mayRunAgain(attempt: number, deadline: number): boolean {
  return attempt < ATTEMPTS.atLeast || (attempt < ATTEMPTS.atMost && performance.now() < deadline)
}

/** The statements that open a transaction: the first time, and when it was undone for others. */
interface Begin {
  first: readonly string[]
  again: readonly string[]
}

const serializable = 'begin isolation level serializable read write'
const readCommitted = 'begin isolation level read committed read write'
const readOnly = 'begin isolation level repeatable read read only'

const begins: Readonly<Record<Separation | 'snapshot', Begin>> = {
  serializable: { first: [serializable], again: [serializable, TAKE_TURN] },
  'first-lock': { first: [readCommitted], again: [readCommitted] },
  snapshot: { first: [readOnly], again: [readOnly] },
}
