// The last steps of a restore. Each is one rename, in an order in which a process that ends between two of them leaves
// either the old state or the new one, and never loses a file.

import { existsSync, statSync } from 'node:fs'
import { copyFile, link, mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Settings } from '../../../config/settings/settings.js'
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

/** Puts the backup in place; nobody has the database open. Throws file system errors. */
export async function putInPlace({ backup, manifest, settings, file, prepare }: Restoring): Promise<Replaced> {
  const draft = `${file}.restoring`
  await rm(draft, { force: true })
  await copyFile(join(backup, inBackup.database), draft)
  await prepare(draft)
  await toDisk(draft)
  const suffix = `before-restore-${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}Z`
  const aside: string[] = []
  const { checkpoints } = settings.ledger
  const copies = [
    [checkpoints, inBackup.checkpoints],
    [`${checkpoints}.head`, inBackup.head],
  ] as const
  // Of a database that could be read they are empty; beside one that could not they may be all there is of some rows.
  const beside = [`${file}-wal`, `${file}-shm`].filter((path) => existsSync(path) && statSync(path).size > 0)
  for (const path of [...copies.map(([path]) => path), ...beside]) await moveAside(path, suffix, aside)
  if (existsSync(file)) {
    await link(file, `${file}.${suffix}`)
    aside.push(`${file}.${suffix}`)
  }
  await rename(draft, file)
  for (const path of [`${file}-wal`, `${file}-shm`]) await rm(path, { force: true })
  await moveAside(movedMarker(file), suffix, aside)
  for (const [path, name] of copies) {
    if (manifest.files[name] !== undefined) await copyFile(join(backup, name), path)
  }
  await toDisk(dirname(file))
  return { aside, keys: await bringKeys(backup, manifest, settings.data.folder) }
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
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    await copyFile(join(backup, path), target)
    brought.push(target)
  }
  return brought
}
