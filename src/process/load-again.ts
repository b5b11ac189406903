// The files of a configuration looked at again: the same, other rules, or mistakes.

import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { type ConfigSnapshot, isSame, readDisk, readSnapshot, snapshotAgain } from '../config/read/file-reader.js'
import type { FixedSections } from '../config/read/fixed-sections.js'
import { type Configuration, type LoadOptions, loadConfiguration } from '../config/read/load.js'
import { ConfigurationErrors } from '../config/report/problem.js'
import { checkTests } from '../gateway/explain/call-tests.js'

export interface Again {
  origin: Omit<LoadOptions, 'reader'>
  fixed: FixedSections
  /** The files, held against what was read of them last; or what another process has read, and tested. */
  from: { before: ConfigSnapshot } | { given: ConfigSnapshot }
}

/** Undefined: nothing has changed. */
export type LoadedAgain = Pick<Configuration, 'settings' | 'waiting'> | undefined

/** `onSnapshot` hears what was read, good or not. Rejects with ConfigurationErrors, also for each test that fails. */
export async function loadAgain(again: Again, onSnapshot: (snapshot: ConfigSnapshot) => void): Promise<LoadedAgain> {
  const { origin, fixed, from } = again
  if ('given' in from) return loadConfiguration({ ...origin, reader: readSnapshot(from.given) }, fixed)
  // Of a pipe everything was read at the start, and reading it again would wait for ever.
  if (!isFile(resolve(origin.cwd ?? process.cwd(), origin.file))) {
    const place = { file: origin.file, line: 1, column: 1, path: '' }
    throw new ConfigurationErrors([{ ...place, message: 'this is no file that can be read again' }])
  }
  const now = snapshotAgain(from.before)
  if (isSame(from.before, now)) {
    onSnapshot(now)
    return undefined
  }
  const reader = readDisk()
  try {
    const loaded = loadConfiguration({ ...origin, reader }, fixed)
    await checkTests(loaded.settings)
    return loaded
  } finally {
    onSnapshot(reader.snapshot)
  }
}

function isFile(path: string): boolean {
  // One that is not there has its own message.
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? true
}
