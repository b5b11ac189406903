// A backup as it lies on a disk: a folder with the database, the checkpoints of the audit log, keys where they were
// wanted, and a manifest that names each file with its digest. A folder with a manifest is whole: it is written last.

import { readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, isAbsolute, join, normalize, sep } from 'node:path'
import type { Static } from 'typebox'
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { makeFolder } from '../../../observability/folders.js'
import { fileDigest, toDisk } from '../../../storage/sql/copies/files.js'
import { requireAbsent } from '../../configuration/own-files.js'
import { CommandFailure, exitCodes } from '../../output/exit.js'

const Manifest = Type.Object({
  format: Type.Literal(1),
  /** Of the program that made it. */
  program: Type.String(),
  madeAt: Type.String(),
  database: Type.Object({
    schemaVersion: Type.Integer({ minimum: 1 }),
    change: Type.Integer({ minimum: 0 }),
    ledger: Type.Object({ position: Type.Integer({ minimum: 0 }), mac: Type.String() }),
    rows: Type.Record(Type.String(), Type.Integer({ minimum: 0 })),
  }),
  /** SHA-256 in hex, by the file's path in the folder. */
  files: Type.Record(Type.String(), Type.String({ pattern: '^[0-9a-f]{64}$' })),
})

/** What a backup says of itself. */
export type Manifest = Static<typeof Manifest>

/** Where things are in the folder of a backup. */
export const inBackup = {
  manifest: 'manifest.json',
  database: 'portcullis.db',
  checkpoints: 'ledger-checkpoints.jsonl',
  head: 'ledger-checkpoints.jsonl.head',
  keys: 'keys',
  tls: 'tls',
} as const

/** Puts a file into the folder of a backup, for its owner alone and on the disk. */
export async function putInBackup(folder: string, path: string, content: string | Uint8Array): Promise<void> {
  const file = join(folder, path)
  await makeFolder(dirname(file), 0o700)
  await writeFile(file, content, { mode: 0o600, flag: 'wx', flush: true })
}

/** Ends a backup in `draft`: digests of its `paths` and the manifest, then the folder gets its name. */
export async function finishBackup(
  draft: string,
  folder: string,
  { paths, ...rest }: Omit<Manifest, 'format' | 'files'> & { paths: readonly string[] },
): Promise<Manifest> {
  const files: Record<string, string> = {}
  for (const path of paths) files[path] = await fileDigest(join(draft, path))
  const manifest: Manifest = { format: 1, ...rest, files }
  await putInBackup(draft, inBackup.manifest, `${JSON.stringify(manifest, null, 2)}\n`)
  await toDisk(draft)
  await rename(draft, folder)
  await toDisk(dirname(folder))
  return manifest
}

/** Reads a backup and holds each file against its digest. Throws CommandFailure for one that is not whole. */
export async function readBackup(folder: string): Promise<Manifest> {
  const manifest = await readManifest(folder)
  for (const [path, digest] of Object.entries(manifest.files)) {
    if (!staysInside(path)) throw notWhole(`its manifest names ${path}, which is outside`)
    const file = join(folder, path)
    const found = await fileDigest(file).catch((error: unknown) => requireAbsent(error, file))
    if (found === undefined) throw notWhole(`${path} is missing`)
    if (found !== digest) throw notWhole(`${path} is not the file that was saved`)
  }
  if (manifest.files[inBackup.database] === undefined) throw notWhole('there is no database in it')
  return manifest
}

async function readManifest(folder: string): Promise<Manifest> {
  const file = join(folder, inBackup.manifest)
  const text = await readFile(file, 'utf8').catch((error: unknown) => requireAbsent(error, file))
  if (text === undefined) {
    throw new CommandFailure(exitCodes.notFound, `${folder} is no backup: there is no ${inBackup.manifest} in it`)
  }
  const value = parsed(text)
  if (!Value.Check(Manifest, value)) throw notWhole(`${inBackup.manifest} is none of this program`)
  return value
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function staysInside(path: string): boolean {
  const plain = normalize(path)
  return !isAbsolute(plain) && plain.split(sep)[0] !== '..'
}

function notWhole(why: string): CommandFailure {
  return new CommandFailure(exitCodes.failed, `the backup cannot be used: ${why}`)
}
