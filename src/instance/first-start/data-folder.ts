// The data folder: everything that this instance remembers, for its owner's eyes only.

import { chmodSync, mkdirSync, statSync } from 'node:fs'

/**
 * Makes the folder, and takes it away from everybody else (0700). Throws when it is not a folder or not ours to change.
 */
export function prepareDataFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const facts = statSync(folder)
  if (!facts.isDirectory()) throw new Error(`data.folder is not a folder: ${folder}`)
  if ((facts.mode & 0o077) !== 0) chmodSync(folder, 0o700)
}
