// What npm installs from a registry with the server's package: the versions of this checkout's lock file, overrides
// included, because the package brings npm-shrinkwrap.json (decision 108).
//
// full: packs the program, and npm plans an installation of it
// run: apart

import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { packageRoot } from '../../src/config/read/package-root.js'
import { shrinkwrapOf } from '../../src/downloads/shrinkwrap.js'
import { plainEnvironment } from '../support/settings/plain-environment.js'
import { packServer, unpack } from './packed-server.js'

interface Lock {
  packages: Record<string, { version?: string; dev?: boolean; resolved?: string }>
}

const readLock = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as Lock

t.setTimeout(240_000)
const folder = mkdtempSync(join(tmpdir(), 'pcl-versions-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
const tarball = packServer(folder)
const unpacked = join(folder, 'unpacked')
unpack(tarball, unpacked)
const ours = Object.entries(readLock(join(packageRoot(), 'package-lock.json')).packages).filter(
  ([path, { dev }]) => path !== '' && dev !== true,
)

t.test('the package names the version of everything that production needs, and nobody’s registry', async (t) => {
  const text = readFileSync(join(unpacked, 'npm-shrinkwrap.json'), 'utf8')
  const { packages } = JSON.parse(text) as Lock
  t.same(Object.keys(packages).slice(1).sort(), ours.map(([path]) => path).sort())
  for (const [path, { version }] of ours) t.equal(packages[path]?.version, version, path)
  t.notMatch(text, /https?:\/\/[^"]*\.tgz|devDependencies|"resolved"/)
  t.notMatch(shrinkwrapOf(withAddresses()), '"resolved"', 'even where the lock file has one')
})

t.test('npm installs exactly the lock file’s production versions, one by one', async (t) => {
  const registry = await startRegistry(t)
  const project = join(folder, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{ "private": true }')
  const words = ['install', '--package-lock-only', '--no-audit', '--registry', registry, 'portcullis']
  const own = { npm_config_cache: join(folder, 'cache'), npm_config_update_notifier: 'false' }
  await promisify(execFile)('npm', words, { cwd: project, env: { ...plainEnvironment(), ...own } })
  const { packages } = readLock(join(project, 'package-lock.json'))
  const below = 'node_modules/portcullis/'
  for (const [path, { version }] of ours) t.equal(packages[below + path]?.version, version, path)
  t.equal(Object.keys(packages).length, ours.length + 2, 'and nothing besides the project and the package')
  t.comment(`${ours.length} packages`)
})

/** The lock file as another npm would write it. */
function withAddresses(): string {
  const lock = readLock(join(packageRoot(), 'package-lock.json'))
  for (const each of Object.values(lock.packages)) each.resolved = 'https://registry.example/a.tgz'
  return JSON.stringify(lock)
}

/** A registry that has the package and nothing else, and says of it what a registry says after `npm publish`. */
async function startRegistry(t: Test): Promise<string> {
  const bytes = readFileSync(tarball)
  const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`
  const manifest = JSON.parse(readFileSync(join(unpacked, 'package.json'), 'utf8')) as { version: string }
  const server = createServer((request, response) => {
    const dist = { tarball: `http://${request.headers.host}/portcullis.tgz`, integrity }
    const version = { ...manifest, _hasShrinkwrap: true, dist }
    const about = { 'dist-tags': { latest: manifest.version }, versions: { [manifest.version]: version } }
    if (request.url === '/portcullis') response.end(JSON.stringify({ name: 'portcullis', ...about }))
    else if (request.url === '/portcullis.tgz') response.end(bytes)
    else response.writeHead(404).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
