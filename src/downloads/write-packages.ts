// A program for the build. `contents` writes down what is in the server's package, before npm packs it: the versions of
// what it needs, then every file. `client FOLDER` writes the tarball of the client library to the folder and prints its
// path and integrity.

import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { packageRoot } from '../config/read/package-root.js'
import { createDownloads } from './downloads.js'
import { type Contents, contentsFile, digestOf } from './server-package.js'
import { shrinkwrapOf } from './shrinkwrap.js'

const [task, folder = '.'] = process.argv.slice(2)
const root = packageRoot()
/** Only a package has it: in a checkout it would stand before package-lock.json, so postpack removes it. */
const shrinkwrap = join(root, 'npm-shrinkwrap.json')
if (task === 'contents') {
  writeFileSync(shrinkwrap, shrinkwrapOf(readFileSync(join(root, 'package-lock.json'), 'utf8')))
  try {
    writeContents()
  } catch (error) {
    // npm runs no postpack after this.
    rmSync(shrinkwrap, { force: true })
    throw error
  }
}
if (task === 'client') await writeClient(resolve(folder))
if (task !== 'contents' && task !== 'client') throw new Error('say contents or client')

function writeContents(): void {
  const words = ['pack', '--dry-run', '--json', '--ignore-scripts', '--offline']
  const printed = execFileSync('npm', words, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  const [packed] = JSON.parse(printed) as [{ files: { path: string; mode: number }[] }]
  const contents: Record<string, Contents[string]> = {}
  for (const { path, mode } of packed.files) {
    if (path === contentsFile) continue
    const sha256 = digestOf(readFileSync(join(root, path)))
    contents[path] = (mode & 0o100) === 0 ? { sha256 } : { sha256, isExecutable: true }
  }
  writeFileSync(join(root, contentsFile), `${JSON.stringify(contents, undefined, 1)}\n`)
}

async function writeClient(target: string): Promise<void> {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  const client = await createDownloads({ root, version }).client()
  if (client === undefined) throw new Error('the client is not built: npm run build')
  writeFileSync(join(target, client.file), client.bytes)
  process.stdout.write(`${join(target, client.file)}\n${client.integrity}\n`)
}
