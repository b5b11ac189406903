// The master keys: from the configuration, or, in development, one that this data folder makes for itself.

import { chmodSync, closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Settings } from '../config/settings.js'

const keyBytes = 32

/** Where a development instance keeps the key that it made. Its presence marks a data folder as development material. */
export function developmentKeyFile(settings: Settings): string {
  return join(settings.data.folder, 'keys', 'development-master.key')
}

/**
 * The master keys, 32 bytes each: the first one is for new things, all are tried for old ones. Throws when a configured
 * key is not 32 bytes of base64url, and when production has none.
 */
export function loadMasterKeys(settings: Settings, random: (bytes: number) => Buffer): readonly Buffer[] {
  if (settings.masterKeys.length > 0)
    return settings.masterKeys.map((key, at) => decode(key.reveal(), `secrets.masterKeys[${at}]`))
  if (settings.mode === 'production') throw new Error('secrets.masterKeys is empty; production does not make its own')
  const file = developmentKeyFile(settings)
  if (!existsSync(file)) create(file, random(keyBytes))
  return [decode(readFileSync(file, 'utf8').trim(), file)]
}

/** `wx`: of two processes that start at once one creates the file, the other reads it. */
function create(file: string, key: Buffer): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  chmodSync(dirname(file), 0o700)
  let handle: number
  try {
    handle = openSync(file, 'wx', 0o600)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return
    throw error
  }
  writeSync(handle, `${key.toString('base64url')}\n`)
  fsyncSync(handle)
  closeSync(handle)
}

function decode(text: string, where: string): Buffer {
  const key = Buffer.from(text, 'base64url')
  if (key.length !== keyBytes || key.toString('base64url') !== text.replace(/=+$/, '')) {
    throw new Error(
      `${where} is not ${keyBytes} bytes in base64url; make one with: openssl rand 32 | basenc --base64url`,
    )
  }
  return key
}
