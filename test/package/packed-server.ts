// The server's package as `npm pack` makes it and `npm install` unpacks it, without a registry.

import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageRoot } from '../../src/config/read/package-root.js'
import { installProduction } from '../deploy/image.js'
import { plainEnvironment } from '../support/settings/plain-environment.js'

/** What a checkout has beside its tests, as far as a package needs it. */
const checkout = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'LICENSE',
  'README.md',
  'config',
  'src',
  'deploy',
]

/**
 * Runs `npm pack` in a copy of this checkout below `folder`; its build would change the one under test. Absolute path
 * of the tarball.
 */
export function packServer(folder: string): string {
  const copy = join(folder, 'checkout')
  mkdirSync(copy)
  for (const name of checkout) cpSync(join(packageRoot(), name), join(copy, name), { recursive: true })
  symlinkSync(join(packageRoot(), 'node_modules'), join(copy, 'node_modules'))
  const printed = run('npm', ['pack', '--silent', '--offline', '--no-update-notifier'], copy)
  return join(copy, printed.trim().split('\n').at(-1) ?? '')
}

/**
 * Puts the tarball into a project that has nothing else, as `npm install` does, with the packages of production from
 * here.
 */
export function installServer(tarball: string, project: string): void {
  const packages = join(project, 'node_modules')
  installProduction(project, join(packageRoot(), 'package-lock.json'))
  unpack(tarball, join(packages, 'portcullis'))
  const program = join(packages, 'portcullis', 'dist', 'src', 'main.js')
  chmodSync(program, 0o755)
  mkdirSync(join(packages, '.bin'), { recursive: true })
  symlinkSync(join('..', 'portcullis', 'dist', 'src', 'main.js'), join(packages, '.bin', 'portcullis'))
  writeFileSync(join(project, 'package.json'), '{ "dependencies": { "portcullis": "*" } }')
}

/** Unpacks a tarball of npm's, whose files are all below `package/`, to a folder that is not there yet. */
export function unpack(tarball: string, target: string): void {
  mkdirSync(target, { recursive: true })
  run('tar', ['-xzf', tarball, '-C', target, '--strip-components=1'], target)
  if (!existsSync(join(target, 'package.json'))) throw new Error(`${tarball} has no package.json`)
}

/** Names in the tarball without the `package/` before each, in its order. */
export function namesIn(tarball: string): string[] {
  return run('tar', ['-tzf', tarball], packageRoot())
    .trim()
    .split('\n')
    .map((name) => name.replace(/^package\//, ''))
}

/** What the program printed. Throws when it ends with anything but 0. */
export function run(program: string, words: readonly string[], cwd: string): string {
  const { status, stdout, stderr, error } = spawnSync(program, words, {
    cwd,
    env: plainEnvironment(),
    encoding: 'utf8',
  })
  if (status !== 0)
    throw new Error(`${program} ${words.join(' ')}: ${error?.message ?? `${status} ${stdout}${stderr}`}`)
  return stdout
}
