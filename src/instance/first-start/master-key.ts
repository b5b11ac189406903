// The master keys: from the configuration, or, in development, one that this data folder makes for itself.

import { randomUUID } from 'node:crypto'
import { chmodSync, closeSync, existsSync, fsyncSync, linkSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { developmentKeyFile, masterKeyBytes, writtenMasterKeys } from '../../config/process/written-master-keys.js'
import type { Settings } from '../../config/settings/settings.js'
import { makeFolderSync } from '../../observability/folders.js'
import { systemErrorText } from '../../observability/system-error.js'

/**
 * The master keys, 32 bytes each: the first one is for new things, all are tried for old ones. Throws when a configured
 * key is not 32 bytes of base64url, and when production has none.
 */
export function loadMasterKeys(settings: Settings, random: (bytes: number) => Buffer): readonly Buffer[] {
  if (settings.masterKeys.length === 0) {
    if (settings.mode === 'production') throw new Error('secrets.masterKeys is empty; production does not make its own')
    const file = developmentKeyFile(settings)
    if (!existsSync(file)) inDataFolder(() => create(file, random(masterKeyBytes)))
  }
  return inDataFolder(() => writtenMasterKeys(settings))
}

/** What the file system refuses is said with the setting that the path comes from. */
function inDataFolder<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    const why = systemErrorText(error)
    if (why === undefined) throw error
    throw new Error(`${why}. It is in data.folder (PORTCULLIS_DATA)`, { cause: error })
  }
}

/**
 * Whole or not at all, whenever the process ends: a finished draft gets the name by a link, which fails when it is
 * taken, so of two processes that start at once both read the one key. Durable before anything is sealed under it.
 */
function create(file: string, key: Buffer): void {
  const folder = dirname(file)
  makeFolderSync(folder, 0o700)
  chmodSync(folder, 0o700)
  const draft = `${file}.${randomUUID()}`
  try {
    writeFileSync(draft, `${key.toString('base64url')}\n`, { mode: 0o600, flag: 'wx', flush: true })
    linkSync(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    rmSync(draft, { force: true })
  }
  const handle = openSync(folder, 'r')
  fsyncSync(handle)
  closeSync(handle)
}
