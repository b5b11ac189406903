// The server's own package, put together again from an installation of it. Only what is byte for byte what was packed
// may leave: a configuration that somebody wrote into the installation is nobody else's (decision 109).

import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { PackageFile } from './tarball.js'

/** What prepack writes down of every file, by its name in the package. */
export type Contents = Readonly<Record<string, { sha256: string; isExecutable?: true }>>

/** Where it is written down, below the package's root. */
export const contentsFile = 'dist/contents.json'

const readAtOnce = 32

/** The files of the installation in `root`; undefined when it was not packed, or is not what was packed any more. */
export async function readServerPackage(root: string): Promise<PackageFile[] | undefined> {
  const written = await readOrNothing(join(root, contentsFile))
  if (written === undefined) return undefined
  const contents = Object.entries(JSON.parse(written.toString()) as Contents)
  const files: PackageFile[] = [{ name: contentsFile, content: written }]
  for (let at = 0; at < contents.length; at += readAtOnce) {
    const read = await Promise.all(
      contents.slice(at, at + readAtOnce).map(async ([name, { sha256, isExecutable = false }]) => {
        const content = await readOrNothing(join(root, name))
        return content === undefined || digestOf(content) !== sha256 ? undefined : { name, content, isExecutable }
      }),
    )
    const whole = read.filter((file) => file !== undefined)
    if (whole.length < read.length) return undefined
    files.push(...whole)
  }
  return files
}

/** SHA-256 in base64url. */
export function digestOf(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('base64url')
}

async function readOrNothing(file: string): Promise<Buffer | undefined> {
  return readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
}
