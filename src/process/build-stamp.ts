// What was built from what: lets `npm start` leave out a build that would write the same files again. Sources and
// written files are compared by their content, so that neither a checkout nor a copy of the folder is mistaken for a
// change, nor a change for none.

import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const stampFile = join('dist', 'built.json')
const sourceFolder = 'src'
const writtenFolder = join('dist', 'src')
/** The parts of the program, which each build writes anew. */
const partsFolder = join('dist', 'program')
/** What the compiler's output depends on beside the sources. */
const settings = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  join('config', 'tsconfig.build.json'),
  join('config', 'tsconfig.client.json'),
  join('node_modules', '@typescript', 'native', 'package.json'),
  join('node_modules', 'esbuild', 'package.json'),
]
const sourceEnding = /\.tsx?$/
const writtenEnding = /\.(?:js|d\.ts)(?:\.map)?$/

/**
 * Builds below `root` unless what is there was built from what is there; whether it built. `build` throws when it
 * fails: then, and when it is interrupted, the next start builds again. Afterwards no file is left of a source that
 * has gone.
 */
export function buildWhenChanged(root: string, build: () => void): boolean {
  const sources = sourcesDigest(root)
  if (readStamp(root) === stampOf(sources, writtenDigest(root))) return false
  rmSync(join(root, stampFile), { force: true })
  build()
  removeOrphans(root)
  // What changed during the build differs from these sources at the next start.
  const written = join(root, `${stampFile}.${process.pid}`)
  writeFileSync(written, stampOf(sources, writtenDigest(root)))
  renameSync(written, join(root, stampFile))
  return true
}

function readStamp(root: string): string | undefined {
  const file = join(root, stampFile)
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined
}

function stampOf(sources: string, written: string): string {
  return `${JSON.stringify({ sources, written })}\n`
}

function sourcesDigest(root: string): string {
  const sources = filesBelow(root, sourceFolder).filter((path) => sourceEnding.test(path))
  return digestOf(root, [...sources, ...settings])
}

function writtenDigest(root: string): string {
  return digestOf(root, [...filesBelow(root, writtenFolder), ...filesBelow(root, partsFolder)])
}

function digestOf(root: string, paths: readonly string[]): string {
  const digest = createHash('sha256')
  for (const path of paths) {
    const file = join(root, path)
    const content = existsSync(file) ? readFileSync(file) : undefined
    digest.update(`${path}\0${content?.length ?? 'missing'}\0`)
    if (content !== undefined) digest.update(content)
  }
  return digest.digest('hex')
}

function removeOrphans(root: string): void {
  const sources = filesBelow(root, sourceFolder).filter((path) => sourceEnding.test(path))
  const known = new Set(sources.map((path) => join('dist', path.replace(sourceEnding, ''))))
  for (const path of filesBelow(root, writtenFolder)) {
    if (writtenEnding.test(path) && !known.has(path.replace(writtenEnding, ''))) rmSync(join(root, path))
  }
}

/** The files below a folder, from `root`, sorted; none where there is no such folder. */
function filesBelow(root: string, folder: string): readonly string[] {
  if (!existsSync(join(root, folder))) return []
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(folder, entry.parentPath.slice(join(root, folder).length), entry.name))
    .sort()
}
