// The configuration of a package that npm installed: a copy beside the caller, which they edit. What stands in
// node_modules is npm's, and the next install replaces it (decision 108).

import { copyFileSync, existsSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ownConfigFile, packageRoot } from '../../config/read/package-root.js'
import { makeFolderSync } from '../../observability/folders.js'

/**
 * Copies the packaged configuration and its schema to `config/` of `cwd`, unless one is there. Not in production, which
 * begins with what somebody wrote. A folder that cannot be written to keeps the packaged one: it says the same.
 */
export function writeDefaultConfiguration(cwd: string, env: Readonly<Record<string, string | undefined>>): void {
  const file = ownConfigFile(cwd)
  if (existsSync(file) || env['PORTCULLIS_MODE'] === 'production') return
  const packaged = join(packageRoot(), 'config')
  try {
    makeFolderSync(dirname(file))
    copyWhole(join(packaged, 'portcullis.schema.json'), join(dirname(file), 'portcullis.schema.json'))
    copyWhole(join(packaged, 'portcullis.yaml'), file)
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}

/** Another start in the same folder sees all of it or nothing. */
function copyWhole(source: string, target: string): void {
  const half = `${target}.${process.pid}`
  try {
    copyFileSync(source, half)
    renameSync(half, target)
  } finally {
    rmSync(half, { force: true })
  }
}
