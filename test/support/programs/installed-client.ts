// The client library as `npm install` would put it into a project: the package's own description and what its build
// makes.

import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { packageRoot } from '../../../src/config/read/package-root.js'
import { clientPackageName, readClientPackage } from '../../../src/downloads/client-package.js'

const root = String(packageRoot())

/** Puts it into `node_modules` of the folder. Throws with what the compiler says. */
export function installClient(folder: string): void {
  const installed = join(folder, 'node_modules', 'portcullis')
  mkdirSync(installed, { recursive: true })
  // A folder of its own, wherever it is: below the project its name would mean the project.
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  cpSync(join(root, 'package.json'), join(installed, 'package.json'))
  compile(folder, ['--project', join(root, 'config', 'tsconfig.client.json'), '--outDir', join(installed, 'dist')])
}

/** Puts what the gate gives away there instead: the client's own package. Throws with what the compiler says. */
export async function installClientPackage(folder: string): Promise<void> {
  const built = mkdtempSync(join(tmpdir(), 'pcl-client-'))
  installClient(built)
  const server = join(built, 'node_modules', 'portcullis')
  cpSync(join(root, 'LICENSE'), join(server, 'LICENSE'))
  const files = (await readClientPackage(server, '1.2.3')) ?? []
  rmSync(built, { recursive: true })
  const installed = join(folder, 'node_modules', clientPackageName)
  for (const { name, content } of files) {
    mkdirSync(dirname(join(installed, name)), { recursive: true })
    writeFileSync(join(installed, name), content)
  }
}

/** Runs the compiler in the folder. Throws with what it says. */
export function compile(folder: string, options: readonly string[]): void {
  const compiler = join(root, 'node_modules', '@typescript', 'native', 'bin', 'tsc')
  const { status, stdout } = spawnSync(process.execPath, [compiler, ...options], { cwd: folder, encoding: 'utf8' })
  if (status !== 0) throw new Error(stdout)
}
