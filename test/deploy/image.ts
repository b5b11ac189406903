// The image without an engine: its stages are followed in a folder. COPY copies, `npm run build` builds, and `npm ci
// --omit=dev` becomes the packages that the lock file marks as production's, taken from the ones installed here.

import { spawnSync } from 'node:child_process'
import { copyFileSync, cpSync, existsSync, linkSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { packageRoot } from '../../src/config/read/package-root.js'
import { plainEnvironment } from '../support/settings/plain-environment.js'
import { dockerStages, type Stage } from './deployment.js'

/** Builds below `folder` and returns the folder that stands for the image's root. Throws when a step fails. */
export function buildImage(folder: string): string {
  const roots = new Map<string, string>()
  let root = ''
  for (const [at, stage] of dockerStages().entries()) {
    root = join(folder, stage.name ?? `stage-${at}`)
    runStage(stage, root, roots)
    if (stage.name !== undefined) roots.set(stage.name, root)
  }
  return root
}

function runStage(stage: Stage, root: string, roots: ReadonlyMap<string, string>): void {
  let workdir = root
  for (const { word, rest } of stage.instructions) {
    if (word === 'WORKDIR') {
      workdir = join(root, rest)
      mkdirSync(workdir, { recursive: true })
    } else if (word === 'COPY') copy(rest, workdir, roots)
    else if (word === 'RUN' && rest.startsWith('npm ci --omit=dev')) installProduction(workdir)
    else if (word === 'RUN' && rest.startsWith('npm ci')) installAll(workdir)
    else if (word === 'RUN' && rest === 'npm run build') build(workdir)
  }
}

/** As Docker does it: of a folder its content, into a target that ends with a slash or is a file's name. */
function copy(rest: string, workdir: string, roots: ReadonlyMap<string, string>): void {
  const [, stage] = /^--from=(\S+) /.exec(rest) ?? []
  const paths = rest.replace(/^--from=\S+ /, '').split(' ')
  const target = join(workdir, paths.pop() ?? '')
  for (const path of paths) {
    const source = join(stage === undefined ? packageRoot() : (roots.get(stage) ?? `no stage ${stage}`), path)
    const isFolder = readdirOrUndefined(source) !== undefined
    cpSync(source, isFolder ? target : join(target, path.split('/').pop() ?? ''), { recursive: true })
  }
}

function readdirOrUndefined(path: string): string[] | undefined {
  try {
    return readdirSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return undefined
    throw error
  }
}

function installAll(workdir: string): void {
  symlinkSync(join(packageRoot(), 'node_modules'), join(workdir, 'node_modules'))
}

interface LockedPackage {
  dev?: boolean
  devOptional?: boolean
  optional?: boolean
}

/**
 * Puts what `npm ci --omit=dev` would install below `node_modules` of the folder. Real files and no links to folders: a
 * package must not find what is installed here for development only. Throws when something is in the lock file alone.
 */
export function installProduction(workdir: string, lockFile = join(workdir, 'package-lock.json')): void {
  const lock = JSON.parse(readFileSync(lockFile, 'utf8')) as {
    packages: Record<string, LockedPackage>
  }
  for (const [path, { dev, devOptional, optional }] of Object.entries(lock.packages)) {
    if (path === '' || dev === true || devOptional === true) continue
    const source = join(packageRoot(), path)
    // Optional ones are for other systems when they are not here.
    if (existsSync(source)) linkTree(source, join(workdir, path))
    else if (optional !== true) throw new Error(`${path} is in the lock file and not installed`)
  }
}

/** Hard links where the file system allows it; nested packages have lines of their own in the lock file. */
function linkTree(source: string, target: string): void {
  mkdirSync(target, { recursive: true })
  for (const entry of readdirSync(source, { withFileTypes: true })) {
    const [from, to] = [join(source, entry.name), join(target, entry.name)]
    if (entry.isDirectory() && entry.name !== 'node_modules') linkTree(from, to)
    else if (entry.isFile()) linkFile(from, to)
  }
}

function linkFile(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch {
    mkdirSync(dirname(to), { recursive: true })
    copyFileSync(from, to)
  }
}

function build(workdir: string): void {
  const { status, stdout, stderr } = spawnSync('npm', ['run', '--silent', 'build'], {
    cwd: workdir,
    env: plainEnvironment(),
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`npm run build ended with ${status}: ${stdout}${stderr}`)
}
