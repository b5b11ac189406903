// What a load of the configuration reads: the file, the parts that it includes, and the files that its settings name.
// It is remembered with the load, so that somebody can look later whether anything changed, and so that other processes
// of one instance can load from the very same bytes.

import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync, realpathSync } from 'node:fs'
import { markOf } from './file-mark.js'

/** The text of a file, or why there is none: a code such as ENOENT, NOT_A_FILE, TOO_LARGE, NOT_UTF8. */
export type FileRead = { text: string; openToAll: boolean } | { wrong: string }
/** The names in a folder, or why there are none. */
export type FolderRead = { names: readonly string[] } | { wrong: string }

/** Where a load reads; paths are absolute. */
export interface FileReader {
  /** With `mostBytes` it must be a regular file of that size at most. `base64`: what is no text. */
  file(path: string, mostBytes?: number, as?: 'base64'): FileRead
  folder(path: string): FolderRead
  /** The path without links; undefined when there is nothing. */
  real(path: string): string | undefined
}

/** What was read; plain data. It holds secrets, if files of secrets were read. */
export interface ConfigSnapshot {
  files: Record<string, FileRead & { mark: string; mostBytes?: number; as?: 'base64' }>
  folders: Record<string, FolderRead & { mark: string }>
  reals: Record<string, string | undefined>
}

/** Reads the disk, and remembers: each mark is older than what was read under it. */
export function readDisk(): FileReader & { snapshot: ConfigSnapshot } {
  const snapshot: ConfigSnapshot = { files: {}, folders: {}, reals: {} }
  return {
    snapshot,
    file(path, mostBytes, as) {
      const mark = markOf(path)
      const read = fileOnDisk(path, mostBytes, as)
      const how = { ...(mostBytes === undefined ? {} : { mostBytes }), ...(as === undefined ? {} : { as }) }
      snapshot.files[path] = { mark, ...read, ...how }
      return read
    },
    folder(path) {
      const mark = markOf(path)
      const read = folderOnDisk(path)
      snapshot.folders[path] = { mark, ...read }
      return read
    },
    real(path) {
      const real = realOnDisk(path)
      snapshot.reals[path] = real
      return real
    },
  }
}

/** Reads what was seen, and nothing else. */
export function readSnapshot(snapshot: ConfigSnapshot): FileReader {
  const nothing = { wrong: 'ENOENT' }
  return {
    file: (path) => snapshot.files[path] ?? nothing,
    folder: (path) => snapshot.folders[path] ?? nothing,
    real: (path) => snapshot.reals[path],
  }
}

/** The same files and folders as they are now. */
export function snapshotAgain(snapshot: ConfigSnapshot): ConfigSnapshot {
  const reader = readDisk()
  for (const [path, { mostBytes, as }] of Object.entries(snapshot.files)) reader.file(path, mostBytes, as)
  for (const path of Object.keys(snapshot.folders)) reader.folder(path)
  for (const path of Object.keys(snapshot.reals)) reader.real(path)
  return reader.snapshot
}

/** Whether two looks at the same files and folders found the same. */
export function isSame(one: ConfigSnapshot, other: ConfigSnapshot): boolean {
  return content(one) === content(other)
}

function content({ files, folders, reals }: ConfigSnapshot): string {
  return JSON.stringify([files, folders, reals], (key, value) => (key === 'mark' ? undefined : value))
}

function fileOnDisk(path: string, mostBytes: number | undefined, as: 'base64' | undefined): FileRead {
  let file: number | undefined
  try {
    // What is looked at is what is read, and nothing waits for the writer of a pipe that took its place.
    file = openSync(path, mostBytes === undefined ? constants.O_RDONLY : constants.O_RDONLY | constants.O_NONBLOCK)
    const stat = fstatSync(file)
    if (mostBytes !== undefined && !stat.isFile()) return { wrong: 'NOT_A_FILE' }
    if (mostBytes !== undefined && stat.size > mostBytes) return { wrong: 'TOO_LARGE' }
    const bytes = readFileSync(file)
    const text = as === 'base64' ? bytes.toString(as) : new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return { text, openToAll: (stat.mode & 0o004) !== 0 }
  } catch (error) {
    return { wrong: codeOf(error) }
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

/** In the order of their characters, so that it is the same everywhere. */
function folderOnDisk(path: string): FolderRead {
  try {
    const entries = readdirSync(path, { withFileTypes: true })
    return {
      names: entries
        .filter((entry) => !entry.isDirectory())
        .map(({ name }) => name)
        .sort(),
    }
  } catch (error) {
    return { wrong: codeOf(error) }
  }
}

function realOnDisk(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason'
  // A socket cannot be opened.
  if (code === 'ENXIO') return 'NOT_A_FILE'
  return code === 'ERR_ENCODING_INVALID_ENCODED_DATA' ? 'NOT_UTF8' : code
}
