// A copy of a database file while others write to it. SQLite's `vacuum into` reads one snapshot, so the copy is the
// state between two commits, and writers do not wait for it. It runs in the process that calls it, not in the server's.

import { chmod, lstat, open } from 'node:fs/promises'
import { retryWhileBusy } from '../sqlite/busy-retry.js'
import type { SqliteConnection } from '../sqlite/sqlite-connection.js'
import { createConnection } from '../sqlite/sqlite-connection.js'
import { openSqliteDatabase } from '../sqlite/sqlite-library.js'
import { type DatabaseFacts, factsOf, NotADatabase } from './database-facts.js'
import { toDisk } from './files.js'

/** The copy is not what it should be; it was made, and must not be used. */
export class DamagedCopy extends Error {
  readonly code = 'damaged_copy'
}

/** How long the copy may wait for a moment in which nobody changes the file's mode. */
const BUSY_MS = 10_000

/**
 * Copies `file` to `target`, which must not exist, and answers what the copy holds. It is on the disk, whole and
 * readable for its owner only when this resolves. Throws NotADatabase, DamagedCopy, StoreUnavailable (a full disk among
 * them) and file system errors; then `target` may be there and is worth nothing.
 */
export async function backupDatabase(file: string, target: string): Promise<DatabaseFacts> {
  // Opening would make an empty database where there is none.
  if (!(await lstat(file)).isFile()) throw new NotADatabase(`${file} is not a file`)
  const draft = await open(target, 'wx', 0o600)
  await draft.close()
  const source = await openUntuned(file)
  try {
    source.exec('pragma busy_timeout = 0')
    const patience = { deadline: performance.now() + BUSY_MS, random: Math.random }
    await retryWhileBusy(() => source.run('vacuum into ?', [target]), patience)
  } finally {
    source.close()
  }
  await chmod(target, 0o600)
  await toDisk(target)
  return checkDatabase(target)
}

/**
 * Reads a database that nobody uses from its first page to its last, without changing it. `inspect` may look at what it
 * holds. Throws DamagedCopy, NotADatabase, and what `inspect` throws.
 */
export async function checkDatabase(
  file: string,
  inspect: (connection: Pick<SqliteConnection, 'all'>) => void = () => {},
): Promise<DatabaseFacts> {
  if (!(await lstat(file)).isFile()) throw new NotADatabase(`${file} is not a file`)
  const connection = await opening(file, () => openUntuned(file))
  try {
    const facts = await opening(file, async () => soundFacts(connection, file))
    inspect(connection)
    return facts
  } finally {
    connection.close()
  }
}

function soundFacts(connection: SqliteConnection, file: string): DatabaseFacts {
  connection.exec('pragma query_only = on')
  const [found] = connection.all('pragma integrity_check(1)', []) as { integrity_check: string }[]
  if (found?.integrity_check !== 'ok') throw new DamagedCopy(`${file} is damaged: ${found?.integrity_check}`)
  const strays = connection.all('pragma foreign_key_check', []).length
  if (strays > 0) throw new DamagedCopy(`${file} has ${strays} rows that refer to rows that are not there`)
  return factsOf(connection)
}

async function opening<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof DamagedCopy || error instanceof NotADatabase) throw error
    throw new DamagedCopy(`${file} cannot be read as a database`, { cause: error })
  }
}

async function openUntuned(file: string): Promise<SqliteConnection> {
  return createConnection(await openSqliteDatabase(file))
}
