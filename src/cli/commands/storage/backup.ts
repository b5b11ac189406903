// `portcullis backup`: a copy of the embedded store, while the server runs or not.

import { existsSync } from 'node:fs'
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { performance } from 'node:perf_hooks'
import type { Settings } from '../../../config/settings/settings.js'
import { makeFolder } from '../../../observability/folders.js'
import { movedMarker } from '../../../storage/sql/sqlite/moved-marker.js'
import { StoreUnavailable } from '../../../storage/sql/store.js'
import type { ConnectionOptions } from '../../calls/connection-options.js'
import { isReadable } from '../../configuration/own-files.js'
import { counted } from '../../output/counted.js'
import { CommandFailure, exitCodes } from '../../output/exit.js'
import { type OutputFormat, printJson } from '../../output/output.js'
import { shellQuoted } from '../../output/shell-word.js'
import type { Terminal } from '../../output/terminal.js'
import { readSettings } from '../server/settings-file.js'
import { finishBackup, inBackup, type Manifest, putInBackup } from './backup-folder.js'

export interface BackupOptions extends ConnectionOptions {
  withKeys?: boolean
  output: OutputFormat
}

/** Runs the command. Throws CommandFailure. */
export async function backup(
  given: { folder: string | undefined; options: BackupOptions; version: string },
  terminal: Terminal,
): Promise<void> {
  const settings = await readSettings(given.options, terminal)
  if (settings.store.kind === 'postgresql') throw new CommandFailure(exitCodes.usage, postgresqlAdvice(terminal.env))
  const { file } = settings.store
  if (!isReadable(file)) throw new CommandFailure(exitCodes.notFound, `there is no database at ${file}`)
  if (existsSync(movedMarker(file))) throw new CommandFailure(exitCodes.usage, movedAdvice(file))
  const madeAt = new Date().toISOString()
  const folder = resolve(terminal.cwd, given.folder ?? `portcullis-backup-${madeAt.slice(0, 19).replaceAll(':', '-')}Z`)
  if (existsSync(folder)) throw new CommandFailure(exitCodes.usage, `${folder} is there already: name a new folder`)
  const begun = performance.now()
  const draft = join(dirname(folder), `.${basename(folder)}.partial-${process.pid}`)
  try {
    await makeFolder(draft, 0o700)
    const withKeys = given.options.withKeys === true
    const manifest = await fill(draft, folder, { settings, file, madeAt, withKeys, version: given.version })
    const bytes = (await stat(join(folder, inBackup.database))).size
    report(terminal, given.options, { folder, manifest, bytes, seconds: (performance.now() - begun) / 1000, withKeys })
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    throw plain(error)
  }
}

interface Content {
  settings: Settings
  file: string
  madeAt: string
  withKeys: boolean
  version: string
}

async function fill(draft: string, folder: string, content: Content): Promise<Manifest> {
  const { settings, file, madeAt, withKeys, version } = content
  const { backupDatabase } = await import('../../../storage/sql/copies/backup-database.js')
  // Before the database: a checkpoint that is newer than the audit log would look like rows that were cut off.
  const paths = await copyIfThere(draft, [
    [settings.ledger.checkpoints, inBackup.checkpoints],
    [`${settings.ledger.checkpoints}.head`, inBackup.head],
  ])
  const database = await backupDatabase(file, join(draft, inBackup.database))
  const keys = withKeys ? await copyIfThere(draft, await keyFiles(settings.data.folder)) : []
  return finishBackup(draft, folder, {
    program: version,
    madeAt,
    database,
    paths: [...paths, inBackup.database, ...keys],
  })
}

/** Copies those of `pairs` (from, path in the backup) that exist, and answers their paths. */
async function copyIfThere(draft: string, pairs: readonly (readonly [string, string])[]): Promise<string[]> {
  const copied: string[] = []
  for (const [from, path] of pairs) {
    const content = await readFile(from).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined
      throw error
    })
    if (content === undefined) continue
    await putInBackup(draft, path, content)
    copied.push(path)
  }
  return copied
}

/** The files that a development server made for itself, in the folders that only it has. */
async function keyFiles(dataFolder: string): Promise<[string, string][]> {
  const found: [string, string][] = []
  for (const name of [inBackup.keys, inBackup.tls]) {
    const folder = join(dataFolder, name)
    if (!existsSync(folder)) continue
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      if (entry.isFile()) found.push([join(folder, entry.name), join(name, entry.name)])
    }
  }
  return found
}

function report(
  terminal: Terminal,
  { output }: BackupOptions,
  done: { folder: string; manifest: Manifest; bytes: number; seconds: number; withKeys: boolean },
): void {
  const { folder, manifest, bytes, seconds, withKeys } = done
  if (output === 'json') {
    printJson(terminal, { folder, bytes, ...manifest })
    return
  }
  const { rows, ledger } = manifest.database
  const size = `${(bytes / 1e6).toFixed(1)} MB in ${seconds.toFixed(1)} s`
  terminal.out(`${folder}\n`)
  terminal.say(
    `The backup has ${counted(rows['tenants'], 'tenant', 'tenants')}, ` +
      `${counted(rows['applications'], 'application', 'applications')}, ${counted(rows['users'], 'person', 'people')} ` +
      `and an audit log up to event ${ledger.position}: ${size}.`,
  )
  terminal.say(
    withKeys
      ? 'It holds the keys too, so it opens by itself: keep it as secret as they are.'
      : 'It opens only with the master keys of this server: keep them apart from it.',
  )
}

function plain(error: unknown): unknown {
  if (error instanceof CommandFailure) return error
  const code = (error as NodeJS.ErrnoException).code
  if (code === 'ENOSPC' || error instanceof StoreUnavailable) {
    return new CommandFailure(
      exitCodes.failed,
      'the backup could not be written, and nothing is left of it: is the disk full?',
      {
        cause: error,
      },
    )
  }
  return error
}

/** With the URL of the store as the variable says it: as it is, or the file that has it. */
function postgresqlAdvice({ PORTCULLIS_STORE: given = '' }: NodeJS.ProcessEnv): string {
  const url = given.startsWith('file:') ? `$(cat ${shellQuoted(given.slice('file:'.length))})` : '$PORTCULLIS_STORE'
  return `the store is in PostgreSQL, which makes its own backups:

  pg_dump --format=custom --file=portcullis.dump "${url}"

See the documentation, Operations, "Backup and restore", for what else to keep.`
}

function movedAdvice(file: string): string {
  return (
    `the store in ${file} was moved to PostgreSQL, and has nothing of what happened since: set store.url ` +
    '(PORTCULLIS_STORE) as the server has it'
  )
}
