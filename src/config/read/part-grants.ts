// What included files are given. They may be somebody else's: each has the paths that `include` gives it, its own
// upstreams, the files of one folder and the variables that are named, and nothing of the server itself.

import { basename, extname, join, resolve } from 'node:path'
import { covers } from '../routes/path-patterns.js'

/** An element of `include` that could be read. */
export interface IncludeEntry {
  pattern: string
  /** May hold `{file}`, and so may `folder`. */
  paths: readonly string[]
  targets: readonly string[] | undefined
  variables: ReadonlySet<string>
  folder: string | undefined
}

export interface PartGrant {
  /** Route paths; `/**` at the end stands for whatever is below, and for what is above it. */
  paths: readonly string[]
  /** Origins, and `unix:` sockets; undefined: anywhere but to the server itself. */
  targets: readonly string[] | undefined
  variables: ReadonlySet<string>
  /** Absolute: what `file:` may name is in here. */
  folder: string
}

/** Undefined when it has another shape, which the schema tells. */
export function readIncludeEntry(entry: unknown): IncludeEntry | undefined {
  const given = typeof entry === 'string' ? { file: entry } : entry
  if (typeof given !== 'object' || given === null) return undefined
  const { file, paths, targets, variables, folder } = given as Record<string, unknown>
  if (typeof file !== 'string') return undefined
  return {
    pattern: file,
    paths: textsOf(paths) ?? ['/{file}/**'],
    targets: textsOf(targets),
    variables: new Set(textsOf(variables)),
    folder: typeof folder === 'string' ? folder : undefined,
  }
}

/** What a file has of it; `path` is absolute, `mainFolder` where the main file is. */
export function grantOf(entry: IncludeEntry, path: string, mainFolder: string): PartGrant {
  const name = basename(path, extname(path))
  const named = (text: string) => text.replaceAll('{file}', name)
  const { targets, variables, folder } = entry
  const own = folder === undefined ? join(path, '..', name) : resolve(mainFolder, named(folder))
  return { paths: entry.paths.map(named), targets, variables, folder: own }
}

/** Whether every path of a route is one that was given. */
export function isGiven(path: string, { paths }: Pick<PartGrant, 'paths'>): boolean {
  return paths.some((given) => covers(given, path))
}

function textsOf(value: unknown): string[] | undefined {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : undefined
}
