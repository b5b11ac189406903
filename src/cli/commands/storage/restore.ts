// `portcullis restore`: puts a backup where the embedded store is, while no server runs. What was there is kept beside
// it.

import { existsSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { writtenMasterKeys } from '../../../config/process/written-master-keys.js'
import type { Settings } from '../../../config/settings/settings.js'
import { isLocalSocketAlive } from '../../../http/connections/local-socket.js'
import type { DatabaseFacts } from '../../../storage/sql/copies/database-facts.js'
import type { StillEnded } from '../../../storage/sql/copies/still-ended.js'
import type { SqliteConnection } from '../../../storage/sql/sqlite/sqlite-connection.js'
import type { ConnectionOptions } from '../../calls/connection-options.js'
import { requireConfirmation } from '../../output/confirmation.js'
import { CommandFailure, exitCodes } from '../../output/exit.js'
import type { Terminal } from '../../output/terminal.js'
import { readSettings } from '../server/settings-file.js'
import { inBackup, type Manifest, readBackup } from './backup-folder.js'
import { requireMasterKeys } from './master-key-check.js'
import { putInPlace, type Replaced } from './put-in-place.js'

export interface RestoreOptions extends ConnectionOptions {
  yes?: boolean
  keepTokens?: boolean
}

/** Runs the command; without a folder it ends a restore that PostgreSQL did. Throws CommandFailure. */
export async function restore(folder: string | undefined, options: RestoreOptions, terminal: Terminal): Promise<void> {
  const settings = await readSettings(options, terminal)
  if (settings.store.kind === 'postgresql') {
    if (folder !== undefined) throw new CommandFailure(exitCodes.usage, postgresqlAdvice)
    return endRestore(settings.store, options, terminal)
  }
  if (folder === undefined) throw new CommandFailure(exitCodes.usage, 'say the folder that portcullis backup made')
  const manifest = await readBackup(folder)
  await checkBackup(folder, manifest, settings)
  if (await isLocalSocketAlive(join(settings.data.folder, 'admin.sock'))) throw running()
  const { file } = settings.store
  // Held from here on, so that no server starts on what is about to be replaced.
  const present = existsSync(file) ? await holdPresent(file) : undefined
  try {
    await requireConfirmation(terminal, question(manifest, present?.facts, options), options.yes)
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    let ended: StillEnded | undefined
    const prepare = async (draft: string) => {
      ended = await endInDraft(draft, present, options)
    }
    const replaced = await putInPlace({ backup: folder, manifest, settings, file, prepare })
    report(terminal, manifest, replaced)
    reportEnded(terminal, ended, options)
  } finally {
    present?.connection.close()
  }
}

/** Ends what was issued, and what is known to have ended; undefined: there is nothing to know it from. */
async function endInDraft(
  draft: string,
  present: Present | undefined,
  { keepTokens }: RestoreOptions,
): Promise<StillEnded | undefined> {
  const [{ endIssuedIn }, { keepEnded }, { migrations }] = await Promise.all([
    import('../../../storage/sql/copies/issued.js'),
    import('../../../storage/sql/copies/still-ended.js'),
    import('../../../storage/sql/schema/migrations.js'),
  ])
  const now = Date.now()
  // What is known of now goes first: it is compared by the numbers that the backup has.
  await endIssuedIn(draft, 'once', now)
  const isComparable = present?.facts.schemaVersion === migrations.length
  const ended = isComparable ? keepEnded(present.connection, draft, now) : undefined
  if (keepTokens !== true) await endIssuedIn(draft, 'everything', now)
  return ended
}

/** The earlier state is in PostgreSQL, put there by its own tools. */
async function endRestore(
  store: Extract<Settings['store'], { kind: 'postgresql' }>,
  { yes, keepTokens }: RestoreOptions,
  terminal: Terminal,
): Promise<void> {
  if (keepTokens === true) {
    throw new CommandFailure(exitCodes.usage, 'PostgreSQL has restored it: without this command every token goes on')
  }
  const text =
    'Every token, sign-in, one-time link and registration token in the PostgreSQL database of store.url ends. End them?'
  await requireConfirmation(terminal, text, yes)
  const [{ openStore }, { endIssued }] = await Promise.all([
    import('../../../storage/sql/open-store.js'),
    import('../../../storage/sql/copies/issued.js'),
  ])
  const opened = await openStore(store)
  try {
    await endIssued(opened, Date.now())
  } finally {
    await opened.close()
  }
  terminal.say('All that was issued before has ended. People sign in again, and applications take new tokens.')
  terminal.say(notKnown)
}

/** Throws CommandFailure for what a server would refuse to start on. */
async function checkBackup(folder: string, { database }: Manifest, settings: Settings): Promise<void> {
  const [{ checkDatabase }, { sealedKeysOf }, { migrations }] = await Promise.all([
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
  await checkDatabase(join(folder, inBackup.database), (connection) => {
    sealed = sealedKeysOf(connection)
  }).catch((cause: Error) => {
    throw new CommandFailure(exitCodes.failed, `the backup cannot be used: ${cause.message}`, { cause })
  })
  await requireMasterKeys(masterKeys, sealed, 'The backup needs the master keys of the server that made it')
}

/** Those of the configuration or the data folder, else the one that the backup brings. */
async function keysFor(folder: string, settings: Settings): Promise<readonly Buffer[]> {
  const here = writtenMasterKeys(settings)
  if (here.length > 0) return here
  const brought = await readFile(join(folder, inBackup.keys, 'development-master.key'), 'utf8').catch(() => undefined)
  return brought === undefined ? [] : [Buffer.from(brought.trim(), 'base64url')]
}

interface Present {
  facts: DatabaseFacts
  /** Closing it lets others have the file again. */
  connection: SqliteConnection
}

/** What the restored state takes the place of; undefined for a file that cannot be read, which is a reason to restore. */
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
    return undefined
  }
}

function question(
  { madeAt, database }: Manifest,
  present: DatabaseFacts | undefined,
  { keepTokens }: RestoreOptions,
): string {
  const tokens =
    keepTokens === true
      ? 'Tokens and sign-ins of the backup go on.'
      : 'Every token and every sign-in ends: people sign in again, and applications take new tokens.'
  if (present === undefined) return `${tokens} Put the backup of ${madeAt} in place?`
  const forgotten = Math.max(0, present.ledger.position - database.ledger.position)
  const counts = (facts: Pick<DatabaseFacts, 'rows'>) =>
    `${facts.rows['applications'] ?? 0} applications and ${facts.rows['users'] ?? 0} people`
  return (
    `The database has ${counts(present)}, the backup of ${madeAt} has ${counts(database)}. ` +
    `${forgotten} events of the audit log are newer than the backup and will be forgotten. ${tokens} Restore it?`
  )
}

function report(terminal: Terminal, { madeAt, database }: Manifest, { aside, keys }: Replaced): void {
  terminal.say(`The state of ${madeAt} is in place, with the audit log up to event ${database.ledger.position}.`)
  for (const path of aside) terminal.say(`Kept: ${path}`)
  for (const path of keys) terminal.say(`Brought by the backup: ${path}`)
}

function reportEnded(terminal: Terminal, ended: StillEnded | undefined, { keepTokens }: RestoreOptions): void {
  if (ended === undefined) terminal.say(notKnown)
  else if (ended.length > 0) {
    const counts = ended.map(({ what, count }) => `${count} ${what}`).join(', ')
    terminal.say(`Ended since the backup, and still ended: ${counts}.`)
  }
  if (keepTokens === true && ended === undefined) {
    terminal.say('Tokens of the backup go on, also those that were revoked since. To end them all:')
    terminal.say('  portcullis keys rotate --immediately --yes')
  }
  terminal.say('Next: start the server.')
}

const notKnown =
  'What was taken away since the backup is there again: deleted secrets, withdrawn consents, disabled people, former ' +
  'passwords. Nothing here knows of it: look at the audit log of before, and end it again.'

function running(): CommandFailure {
  return new CommandFailure(exitCodes.failed, 'a server runs on this data folder: stop it first. Nothing was changed')
}

const postgresqlAdvice = `the store is in PostgreSQL, which restores its own backups. Stop all instances first, then:

  pg_restore --clean --if-exists --dbname="$PORTCULLIS_STORE" portcullis.dump

Then, before the instances start again, end the tokens that were revoked since and all others: portcullis restore --yes
See the documentation, Operations, "Backup and restore".`
