// The last steps of a restore. Each is one rename, in an order in which a process that ends between two of them leaves
// either the old state or the new one, and never loses a file.

import { existsSync, statSync } from 'node:fs'
import { copyFile, link, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Settings } from '../../../config/settings/settings.js'
import { makeFolder } from '../../../observability/folders.js'
import { toDisk } from '../../../storage/sql/copies/files.js'
import { movedMarker } from '../../../storage/sql/sqlite/moved-marker.js'
import { inBackup, type Manifest } from './backup-folder.js'

export interface Replaced {
  /** Where what was there is now. */
  aside: string[]
  /** Keys and certificates that were not there and came with the backup. */
  keys: string[]
}

interface Restoring {
  /** Its folder. */
  backup: string
  manifest: Manifest
  settings: Settings
  /** Of the store. */
  file: string
  /** Changes the copy before anything is replaced by it. */
  prepare: (draft: string) => Promise<void>
}

/** What the engine may have left beside a database that a killed process wrote to; it belongs to that one alone. */
const logs = ['-wal', '-shm', '-journal'] as const

/**
 * Puts the backup in place; nobody has the database open. What takes room on the disk comes first: when that fails,
 * nothing has changed and nothing is left. Throws file system errors and what `prepare` throws.
 */
export async function putInPlace({ backup, manifest, settings, file, prepare }: Restoring): Promise<Replaced> {
  const { checkpoints } = settings.ledger
  const copies = [
    { path: checkpoints, from: inBackup.checkpoints },
    { path: `${checkpoints}.head`, from: inBackup.head },
  ].filter(({ from }) => manifest.files[from] !== undefined)
  const draft = draftOf(file)
  try {
    await removeDraft(draft)
    await copyFile(join(backup, inBackup.database), draft)
    await prepare(draft)
    await toDisk(draft)
    for (const { path, from } of copies) {
      await copyFile(join(backup, from), draftOf(path))
      await toDisk(draftOf(path))
    }
  } catch (error) {
    for (const { path } of copies) await rm(draftOf(path), { force: true })
    await removeDraft(draft)
    throw error
  }
  const aside = await exchange(file, draft, [checkpoints, `${checkpoints}.head`])
  for (const { path } of copies) await rename(draftOf(path), path)
  await toDisk(dirname(file))
  return { aside, keys: await bringKeys(backup, manifest, settings.data.folder) }
}

const draftOf = (path: string) => `${path}.restoring`

/** With what a killed restore left: a log of another draft would be taken for this one's, and played into it. */
async function removeDraft(draft: string): Promise<void> {
  for (const path of [draft, `${draft}-present`]) {
    for (const end of ['', ...logs]) await rm(`${path}${end}`, { force: true })
  }
}

/** Moves the draft to the place of `file`, and what was there, with `checkpoints`, aside; the new paths of that. */
async function exchange(file: string, draft: string, checkpoints: readonly string[]): Promise<string[]> {
  const suffix = freeSuffix(file)
  const aside: string[] = []
  // Of a database that could be read they are empty; beside one that could not they may be all there is of some rows.
  const beside = logs.map((end) => `${file}${end}`).filter((path) => existsSync(path) && statSync(path).size > 0)
  for (const path of [...checkpoints, ...beside]) await moveAside(path, suffix, aside)
  if (existsSync(file)) {
    await link(file, `${file}.${suffix}`)
    aside.push(`${file}.${suffix}`)
  }
  await rename(draft, file)
  for (const end of logs) await rm(`${file}${end}`, { force: true })
  await moveAside(movedMarker(file), suffix, aside)
  return aside
}

/** Two restores within a second do not take each other's place. */
function freeSuffix(file: string): string {
  const suffix = `before-restore-${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}Z`
  let free = suffix
  for (let at = 2; existsSync(`${file}.${free}`); at += 1) free = `${suffix}-${at}`
  return free
}

async function moveAside(path: string, suffix: string, aside: string[]): Promise<void> {
  if (!existsSync(path)) return
  await rename(path, `${path}.${suffix}`)
  aside.push(`${path}.${suffix}`)
}

/** Keys that are there already stay: the backup was checked against them. */
async function bringKeys(backup: string, manifest: Manifest, dataFolder: string): Promise<string[]> {
  const brought: string[] = []
  for (const path of Object.keys(manifest.files)) {
    const isKey = [inBackup.keys, inBackup.tls].some((folder) => path.startsWith(`${folder}/`))
    const target = join(dataFolder, path)
    if (!isKey || existsSync(target)) continue
    await makeFolder(dirname(target), 0o700)
    await copyFile(join(backup, path), target)
    brought.push(target)
  }
  return brought
}
