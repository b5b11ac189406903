// Where this package lies on disk, whether it runs from src/ through a loader or compiled from dist/src/.

import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Absolute path of the folder that holds our package.json. Throws when this file was torn out of its package. */
export function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!isOurs(join(folder, 'package.json'))) {
    const parent = dirname(folder)
    if (parent === folder) throw new Error('The package.json of portcullis is in no folder above this file.')
    folder = parent
  }
  return folder
}

/** Absolute path of the configuration file that is used when none is named. */
export function defaultConfigFile(): string {
  return join(packageRoot(), 'config', 'portcullis.yaml')
}

function isOurs(file: string): boolean {
  try {
    const manifest: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return typeof manifest === 'object' && manifest !== null && 'name' in manifest && manifest.name === 'portcullis'
  } catch {
    return false
  }
}
