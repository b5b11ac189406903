// The Store in one SQLite file. Three connections: one writes, one reads statement by statement, one holds snapshots;
// so a reader never sees what is not committed, and a snapshot does not make other readers see old data.

import { chmod, open } from 'node:fs/promises'
import { sql } from 'kysely'
import { migrations } from '../schema/migrations.js'
import { createSemaphore } from '../semaphore.js'
import { type Statements, type Store, StoreUnavailable } from '../store.js'
import { retryWhileBusy } from './busy-retry.js'
import { createDurableLog, type DurableLogOptions } from './durable-log.js'
import { createLogCopier } from './log-copier.js'
import { migrate } from './migrate.js'
import { refuseMoved } from './moved-marker.js'
import { createConnection, type SqliteConnection, tune } from './sqlite-connection.js'
import { statementsOver } from './sqlite-dialect.js'
import { openSqliteDatabase } from './sqlite-library.js'
import { attemptTransaction, type Begin } from './sqlite-transaction.js'

export interface SqliteStoreOptions {
  /** Created with mode 0600 when it does not exist; its folder must. */
  file: string
  /** How long a call may wait for locks, of this process and of others, before it throws StoreUnavailable. */
  busyTimeoutMs: number
  /** 0 ≤ random() < 1, for the jitter between attempts. */
  random?: () => number
  /** How the log is opened to be synced; for tests. */
  openLog?: DurableLogOptions['openLog']
}

interface Patience {
  busyTimeoutMs: number
  random: () => number
}

/**
 * Opens the file, migrated to this program's schema. Throws UnknownSchema for a newer file, StoreUnavailable when it
 * stays locked or cannot be used, StoreMoved when its store is served from PostgreSQL now, and file system errors.
 */
export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const patience = { busyTimeoutMs: options.busyTimeoutMs, random: options.random ?? Math.random }
  refuseMoved(options.file)
  await keepPrivate(options.file)
  const opened: SqliteConnection[] = []
  try {
    const writer = await openConnection(options.file, 'write', patience)
    opened.push(writer)
    await retryWhileBusy(() => migrate(writer, migrations, Date.now()), retryUntil(patience))
    const reader = await openConnection(options.file, 'read', patience)
    opened.push(reader)
    const snapshots = await openConnection(options.file, 'read', patience)
    return storeOver({ writer, reader, snapshots }, patience, options)
  } catch (error) {
    for (const connection of opened) connection.close()
    throw error
  }
}

/**
 * A connection that reads, beside an open Store. The file is not opened but by the engine: closing it another way would
 * end the locks that this process has on it. Throws StoreUnavailable and the engine's errors.
 */
export async function openSqliteReader(
  options: Pick<SqliteStoreOptions, 'file' | 'busyTimeoutMs'>,
): Promise<{ reader: Statements; close(): Promise<void> }> {
  const patience = { busyTimeoutMs: options.busyTimeoutMs, random: Math.random }
  const connection = await openConnection(options.file, 'read', patience)
  const reader = statementsOver((text, parameters, rows) => {
    const statement = rows ? connection.all : connection.run
    return retryWhileBusy<unknown[] | number>(() => statement(text, parameters), retryUntil(patience))
  })
  return { reader, close: async () => connection.close() }
}

function storeOver(
  connections: { writer: SqliteConnection; reader: SqliteConnection; snapshots: SqliteConnection },
  patience: Patience,
  { file, openLog }: SqliteStoreOptions,
): Store {
  const log = createDurableLog({ file: `${file}-wal`, ...(openLog === undefined ? {} : { openLog }) })
  const copier = createLogCopier({ file, copyHere: () => copyQuietly(connections.writer) })
  let closed: Promise<void> | undefined
  const reader = statementsOver((text, parameters, rows) => {
    if (closed !== undefined) throw new StoreUnavailable('the Store is closed')
    const statement = rows ? connections.reader.all : connections.reader.run
    return retryWhileBusy<unknown[] | number>(() => statement(text, parameters), retryUntil(patience))
  })
  /** By way of the database file: what a failed sync has left of the log is not known, what the engine reads of it is. */
  const repair = (): void => {
    if (!log.isDamaged()) return
    const [state] = connections.writer.all('pragma wal_checkpoint(truncate)', []) as { busy: number }[]
    if (state?.busy !== 0) throw new StoreUnavailable('an earlier commit may not be durable')
    log.repaired()
  }
  const writing = transactionsOn(connections.writer, 'begin immediate', patience, repair)
  const reading = transactionsOn(connections.snapshots, 'begin', patience)
  const close = async (): Promise<void> => {
    await Promise.all([writing.end(), reading.end()])
    await copier.close()
    await log.close()
    connections.reader.close()
    connections.snapshots.close()
    emptyLog(connections.writer)
    connections.writer.close()
  }
  return {
    kind: 'sqlite',
    reader,
    async transaction(work) {
      const result = await writing.run(work)
      // The next transaction has begun meanwhile, so that those who wait share a sync.
      await log.synced()
      copier.committed()
      return result
    },
    snapshot: reading.run,
    async check() {
      await sql`select seq from feed_head`.execute(reader)
    },
    close() {
      closed ??= close()
      return closed
    },
  }
}

/**
 * Transactions on one connection, one after the other. One that is begun inside another would wait for itself: it gives
 * up after the busy time-out. AsyncLocalStorage would find it at once, but in Node 20 it switches async hooks on for
 * the whole process, which every proxied request pays for. `first` runs before each, and may throw StoreUnavailable.
 */
function transactionsOn(connection: SqliteConnection, begin: Begin, patience: Patience, first = () => {}) {
  const semaphore = createSemaphore()
  const run = async <T>(work: (tx: Statements) => Promise<T>): Promise<T> => {
    const retry = retryUntil(patience)
    const leave = await semaphore.enter(retry.deadline)
    try {
      const attempt = () => {
        first()
        return attemptTransaction(connection, begin, work)
      }
      return await retryWhileBusy(attempt, retry)
    } finally {
      leave()
    }
  }
  return { run, end: semaphore.shut }
}

function retryUntil(patience: Patience) {
  return { deadline: performance.now() + patience.busyTimeoutMs, random: patience.random }
}

async function openConnection(file: string, access: 'write' | 'read', patience: Patience): Promise<SqliteConnection> {
  const database = await openSqliteDatabase(file)
  try {
    await retryWhileBusy(() => tune(database, access), retryUntil(patience))
  } catch (error) {
    database.close()
    throw error
  }
  return createConnection(database)
}

/** What has not been copied stays in the log, and is durable there. */
function copyQuietly(writer: SqliteConnection): void {
  try {
    writer.exec('pragma wal_checkpoint(passive)')
  } catch {
    // The next one copies it as well.
  }
}

/**
 * Moves the log into the file. The engine does that when the last connection closes, but the package closes only once
 * its statements have been collected. Another process that reads prevents it, and then does it later.
 */
function emptyLog(writer: SqliteConnection): void {
  try {
    writer.exec('pragma wal_checkpoint(truncate)')
  } catch {
    // Nothing is lost: what was committed is durable in the log, and the next opening reads it there.
  }
}

/** SQLite gives its side files (-wal, -shm) the mode of the file itself, so that one is set before they appear. */
async function keepPrivate(file: string): Promise<void> {
  const handle = await open(file, 'a', 0o600)
  await handle.close()
  for (const path of [file, `${file}-wal`, `${file}-shm`]) {
    await chmod(path, 0o600).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
    })
  }
}
