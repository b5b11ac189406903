// Folders with what is missing above them, level by level. Node's own `recursive` never ends where the parent is there
// and still nothing can be made in it, as below /proc.

import { mkdirSync, statSync } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Makes the folder; the first one that was made is returned, undefined where all were there. Throws what mkdir says of
 * the path that it could not make.
 */
export function makeFolderSync(folder: string, mode = 0o777): string | undefined {
  try {
    mkdirSync(folder, { mode })
    return folder
  } catch (error) {
    if (isFolderSync(folder)) return undefined
    const parent = dirname(folder)
    if (!isMissing(error) || isFolderSync(parent)) throw error
    const first = makeFolderSync(parent, mode)
    return makeFolderSync(folder, mode) === undefined ? first : (first ?? folder)
  }
}

/** As makeFolderSync, without holding up the process. */
export async function makeFolder(folder: string, mode = 0o777): Promise<string | undefined> {
  try {
    await mkdir(folder, { mode })
    return folder
  } catch (error) {
    if (await isFolder(folder)) return undefined
    const parent = dirname(folder)
    if (!isMissing(error) || (await isFolder(parent))) throw error
    const first = await makeFolder(parent, mode)
    return (await makeFolder(folder, mode)) === undefined ? first : (first ?? folder)
  }
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT'
}

function isFolderSync(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}

async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}
