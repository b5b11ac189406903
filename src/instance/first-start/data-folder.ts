// The data folder: everything that this instance remembers, for its owner's eyes only.

import { accessSync, chmodSync, constants, statSync } from 'node:fs'
import { makeFolderSync } from '../../observability/folders.js'
import { systemErrorText } from '../../observability/system-error.js'

/**
 * Makes the folder, and takes it away from everybody else (0700). Throws when it is not a folder or not ours to change.
 */
export function prepareDataFolder(folder: string): void {
  try {
    makeFolderSync(folder, 0o700)
    if ((statSync(folder).mode & 0o077) !== 0) chmodSync(folder, 0o700)
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const isFile = (error as NodeJS.ErrnoException).code === 'EEXIST'
    const why = isFile ? `${folder}: this is a file, where a folder is needed` : systemErrorText(error)
    if (why === undefined) throw error
    throw new Error(`${why}. It is data.folder (PORTCULLIS_DATA)`, { cause: error })
  }
}
