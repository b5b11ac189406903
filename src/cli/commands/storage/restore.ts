// `portcullis restore`: puts a backup where the embedded store is, while no server runs. What was there is kept beside
// it.

import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { writtenMasterKeys } from '../../../config/process/written-master-keys.js'
import type { Settings } from '../../../config/settings/settings.js'
import { isLocalSocketAlive } from '../../../http/connections/local-socket.js'
import { makeFolder } from '../../../observability/folders.js'
import type { Present } from '../../../storage/sql/copies/compare.js'
import type { StillEnded } from '../../../storage/sql/copies/still-ended.js'
import { isDamaged, isOutage } from '../../../storage/sql/sqlite/sqlite-errors.js'
import type { ConnectionOptions } from '../../calls/connection-options.js'
import { isReadable, requireAbsent } from '../../configuration/own-files.js'
import { requireConfirmation } from '../../output/confirmation.js'
import { CommandFailure, exitCodes } from '../../output/exit.js'
import type { Terminal } from '../../output/terminal.js'
import { readSettings } from '../server/settings-file.js'
import { inBackup, type Manifest, readBackup } from './backup-folder.js'
import { requireMasterKeys } from './master-key-check.js'
import { putInPlace } from './put-in-place.js'
import { question, reportRestored } from './restore-report.js'

export interface RestoreOptions extends ConnectionOptions {
  yes?: boolean
  keepTokens?: boolean
}

/** Runs the command; without a folder it ends a restore that PostgreSQL did. Throws CommandFailure. */
export async function restore(folder: string | undefined, options: RestoreOptions, terminal: Terminal): Promise<void> {
  const settings = await readSettings(options, terminal)
  if (settings.store.kind === 'postgresql') {
    if (folder !== undefined) throw new CommandFailure(exitCodes.usage, postgresqlAdvice)
    return (await import('./end-restore.js')).endRestore(settings, settings.store, options, terminal)
  }
  if (folder === undefined) throw new CommandFailure(exitCodes.usage, 'say the folder that portcullis backup made')
  const manifest = await readBackup(folder)
  const keys = await checkBackup(folder, manifest, settings)
  if (await isLocalSocketAlive(join(settings.data.folder, 'admin.sock'))) throw running()
  const { file } = settings.store
  // Held from here on, so that no server starts on what is about to be replaced.
  const present = isReadable(file) ? await holdPresent(file) : undefined
  try {
    await requireConfirmation(terminal, question(manifest, present?.facts, options.keepTokens === true), options.yes)
    await makeFolder(dirname(file), 0o700)
    let ended: StillEnded | undefined
    const prepare = async (draft: string) => {
      ended = await endInDraft(draft, { present, database: manifest.database, options })
    }
    const replaced = await putInPlace({ backup: folder, manifest, settings, file, prepare }).catch(plain)
    reportRestored(terminal, { folder, manifest, replaced, ended, keys, isKept: options.keepTokens === true })
  } finally {
    present?.connection.close()
  }
}

interface Ending {
  present: Present | undefined
  /** Of the backup. */
  database: Manifest['database']
  options: RestoreOptions
}

/** Ends what was issued, and what is known to have ended; undefined: there is nothing to know it from. */
async function endInDraft(draft: string, { present, database, options }: Ending): Promise<StillEnded | undefined> {
  const [{ endIssuedIn }, { compareWith }] = await Promise.all([
    import('../../../storage/sql/copies/issued.js'),
    import('../../../storage/sql/copies/compare.js'),
  ])
  const moment = { nowMs: Date.now(), lost: present?.facts.change ?? 0 }
  // What is known of now goes first: it is compared by the numbers that the backup has.
  await endIssuedIn(draft, 'once', moment)
  const copy = { file: draft, facts: database }
  const ended = present === undefined ? undefined : await compareWith(present, copy, moment.nowMs)
  await endIssuedIn(draft, options.keepTokens === true ? 'lost' : 'everything', moment)
  return ended
}

/** Throws CommandFailure instead of an error that says little. Nothing has changed then. */
function plain(error: unknown): never {
  const isFull = (error as NodeJS.ErrnoException).code === 'ENOSPC' || isOutage(error)
  if (!isFull) throw error
  const message = 'the backup could not be put in place, and nothing was changed: is the disk full?'
  throw new CommandFailure(exitCodes.failed, message, { cause: error })
}

/** The ids of the keys that verify in it. Throws CommandFailure for what a server would refuse to start on. */
async function checkBackup(folder: string, { database }: Manifest, settings: Settings): Promise<readonly string[]> {
  const [{ checkDatabase }, { sealedKeysOf, verifyingKeysOf }, { migrations }] = await Promise.all([
    import('../../../storage/sql/copies/backup-database.js'),
    import('../../../storage/sql/copies/sealed-keys.js'),
    import('../../../storage/sql/schema/migrations.js'),
  ])
  if (database.schemaVersion > migrations.length) {
    const message = `the backup has schema version ${database.schemaVersion}, and this program knows ${migrations.length}: use the version of Portcullis that made it`
    throw new CommandFailure(exitCodes.failed, message)
  }
  const masterKeys = await keysFor(folder, settings)
  let sealed: ReturnType<typeof sealedKeysOf> = []
  let verifying: readonly string[] = []
  await checkDatabase(join(folder, inBackup.database), (connection) => {
    sealed = sealedKeysOf(connection)
    verifying = verifyingKeysOf(connection)
  }).catch((cause: Error) => {
    throw new CommandFailure(exitCodes.failed, `the backup cannot be used: ${cause.message}`, { cause })
  })
  const where =
    'The backup needs the master keys of the server that made it: set secrets.masterKeys (PORTCULLIS_MASTER_KEYS) to ' +
    `them. A development server had its own: put its data/keys/development-master.key into ${join(settings.data.folder, 'keys')}, or restore a backup that was made with --with-keys`
  await requireMasterKeys(masterKeys, sealed, where)
  return verifying
}

/** Those of the configuration or the data folder, else the one that the backup brings. */
async function keysFor(folder: string, settings: Settings): Promise<readonly Buffer[]> {
  const here = writtenMasterKeys(settings)
  if (here.length > 0) return here
  const file = join(folder, inBackup.keys, 'development-master.key')
  const brought = await readFile(file, 'utf8').catch((error: unknown) => requireAbsent(error, file))
  return typeof brought !== 'string' ? [] : [Buffer.from(brought.trim(), 'base64url')]
}

/**
 * What the restored state takes the place of; undefined for a file that cannot be read, which is a reason to restore.
 * Throws CommandFailure where it is not the file's fault: what it knows has ended must not be left out for a full disk.
 */
async function holdPresent(file: string): Promise<Present | undefined> {
  const [{ openExclusively, DatabaseInUse }, { factsOf }] = await Promise.all([
    import('../../../storage/sql/copies/exclusive.js'),
    import('../../../storage/sql/copies/database-facts.js'),
  ])
  let held: Awaited<ReturnType<typeof openExclusively>> | undefined
  try {
    held = await openExclusively(file)
    return { facts: factsOf(held), connection: held }
  } catch (error) {
    held?.close()
    if (error instanceof DatabaseInUse) throw running()
    const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
    if (isDamaged(cause) || !isOutage(cause)) return undefined
    const message = `${file} could not be opened, and it knows what has ended since. Nothing was changed. See that the disk has room and that the file and its folder can be written, or, to have nothing of it, move it away`
    throw new CommandFailure(exitCodes.failed, message, { cause })
  }
}

function running(): CommandFailure {
  return new CommandFailure(exitCodes.failed, 'a server runs on this data folder: stop it first. Nothing was changed')
}

const postgresqlAdvice = `the store is in PostgreSQL, which restores its own backups. Stop all instances first, then:

  pg_restore --clean --if-exists --dbname="$PORTCULLIS_STORE" portcullis.dump

Then, before the instances start again, end the tokens that were revoked since and all others: portcullis restore --yes
See the documentation, Operations, "Backup and restore".`
