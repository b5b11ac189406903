// Master keys as they are written down: in the configuration, or in the file that a development instance made for
// itself.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Settings } from '../settings/settings.js'

/** In bytes. */
export const masterKeyBytes = 32

/**
 * Where a development instance keeps the key that it made. Its presence marks a data folder as development material.
 */
export function developmentKeyFile(settings: Settings): string {
  return join(settings.data.folder, 'keys', 'development-master.key')
}

/**
 * The master keys that there are, newest first; none where none was ever made. Throws when one is not 32 bytes of
 * base64url.
 */
export function writtenMasterKeys(settings: Settings): readonly Buffer[] {
  if (settings.masterKeys.length > 0)
    return settings.masterKeys.map((key, at) => decode(key.reveal(), `secrets.masterKeys[${at}]`))
  const file = developmentKeyFile(settings)
  return existsSync(file) ? [decode(readFileSync(file, 'utf8').trim(), file)] : []
}

function decode(text: string, where: string): Buffer {
  const key = Buffer.from(text, 'base64url')
  if (key.length !== masterKeyBytes || key.toString('base64url') !== text.replace(/={1,2}$/, '')) {
    throw new Error(
      `${where} is not ${masterKeyBytes} bytes in base64url; make one with: openssl rand 32 | basenc --base64url`,
    )
  }
  return key
}
