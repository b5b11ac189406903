// Where this package lies on disk, whether it runs from src/ through a loader or compiled from dist/src/.

import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
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

/** Whether npm put this package below a `node_modules`: its files are npm's then, and nobody edits them. */
export function isInstalledPackage(root = packageRoot()): boolean {
  return root.split(sep).includes('node_modules')
}

/**
 * Absolute path of the configuration that an installed package uses in the folder where it runs, whether it is there or
 * not.
 */
export function ownConfigFile(cwd: string): string {
  return join(cwd, 'config', 'portcullis.yaml')
}

/**
 * Absolute path of the configuration file that is used when none is named: the package's own, and where that was
 * installed by npm, `config/portcullis.yaml` of the working directory when there is one.
 */
export function defaultConfigFile(cwd = process.cwd()): string {
  const own = ownConfigFile(cwd)
  return isInstalledPackage() && existsSync(own) ? own : join(packageRoot(), 'config', 'portcullis.yaml')
}

function isOurs(file: string): boolean {
  try {
    const manifest: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return typeof manifest === 'object' && manifest !== null && 'name' in manifest && manifest.name === 'portcullis'
  } catch {
    return false
  }
}
