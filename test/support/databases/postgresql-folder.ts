// Where a private PostgreSQL keeps its data: a cluster made by initdb once a run, or once a process that is not part of
// one, and copied for each server.

import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeMemoryFolder } from '../storage/memory-folder.js'

/** The superuser; what a Store connects as is `portcullis`, which owns its databases and nothing else. */
export const superuser = 'postgres'

/** The folder that a run has made for all of its processes (makeRunFolder). */
const shared = process.env['PORTCULLIS_TEST_POSTGRES']

/** The password of both users, new in each run, or process. */
export const password =
  shared === undefined ? randomBytes(12).toString('hex') : readFileSync(join(shared, 'password'), 'utf8').trim()

let template = shared === undefined ? undefined : join(shared, 'data')

/** The path of a PostgreSQL program. Throws when no PostgreSQL is installed (test/run/tools.ts installs it). */
export function postgresProgram(name: string): string {
  const root = '/usr/lib/postgresql'
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : []
  const found = versions.map((version) => join(root, version, 'bin', name)).find((path) => existsSync(path))
  if (found === undefined) throw new Error(`PostgreSQL is not installed: no ${name} in ${root}/*/bin`)
  return found
}

/**
 * A command that runs `command` as the user that PostgreSQL accepts (it refuses root), killed when this process dies.
 */
export function asDatabaseUser(command: readonly string[]): string[] {
  const asRoot = process.getuid?.() === 0
  const user = asRoot ? ['--reuid', 'postgres', '--regid', 'postgres', '--clear-groups'] : []
  return ['setpriv', ...user, '--pdeathsig', 'KILL', ...command]
}

/** A new folder that the database user owns, deleted by the caller. */
export function ownedFolder(parent = shared ?? tmpdir()): string {
  const folder = mkdtempSync(join(parent, 'portcullis-postgresql-'))
  giveAway(folder)
  return folder
}

/**
 * The cluster to copy. Text is compared as in English there, as it may be in a real one: anyone who needs the order of
 * code points has to ask for it.
 */
export function templateFolder(): string {
  template ??= makeTemplate()
  return template
}

/** Gives a file or folder to the database user. */
export function giveAway(path: string): void {
  if (process.getuid?.() === 0) run(['chown', '-R', 'postgres:postgres', path])
}

/** Runs a command to its end. Throws with what it said when it fails. */
export function run(command: readonly string[]): void {
  const [program = '', ...rest] = command
  const { status, stderr, error } = spawnSync(program, rest, { encoding: 'utf8', cwd: '/' })
  if (status !== 0) throw new Error(`${program} failed: ${error?.message ?? stderr}`)
}

/**
 * Makes the cluster for all processes of a run, in a folder where their servers have their data too: in memory where
 * there is room, because a Store insists on fsync and thousands of commits wait for it. Servers are killed and the
 * machine never loses its power, so nothing is shown less. Gone when this process ends. Throws as initdb does.
 */
export function makeRunFolder(): string {
  const folder = makeMemoryFolder(roomBytes) ?? mkdtempSync(join(tmpdir(), 'portcullis-postgresql-'))
  // A server that was just killed may write a last file.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  giveAway(folder)
  initialise(folder)
  return folder
}

/** A dozen servers at once, several times over. */
const roomBytes = 4 * 2 ** 30

function makeTemplate(): string {
  const folder = ownedFolder()
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return initialise(folder)
}

/** Makes a cluster in the folder; where. */
function initialise(folder: string): string {
  const [data, secret] = [join(folder, 'data'), join(folder, 'password')]
  mkdirSync(data, { mode: 0o700 })
  writeFileSync(secret, `${password}\n`, { mode: 0o600 })
  giveAway(folder)
  const locale = ['--locale=C', '--locale-provider=icu', '--icu-locale=en']
  const security = ['--auth=scram-sha-256', `--username=${superuser}`, `--pwfile=${secret}`]
  const initdb = [postgresProgram('initdb'), '--no-sync', '--encoding=UTF8', ...locale, ...security, `--pgdata=${data}`]
  run(asDatabaseUser(initdb))
  return data
}
