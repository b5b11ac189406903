// Brings the development authority into the stores of this machine, or takes it out. Only one that this server made
// for itself, in development, and that can sign nothing but names of this machine (decision 0122).

import { homedir } from 'node:os'
import type { ConnectionOptions } from '../calls/connection-options.js'
import { readSettings } from '../commands/server/settings-file.js'
import { CommandFailure, exitCodes } from '../output/exit.js'
import { printable } from '../output/table.js'
import type { Terminal } from '../output/terminal.js'
import { commandOf, isInstalled, runSteps, shellText } from './run-steps.js'
import { type Step, type Surroundings, type Trusted, type TrustStore, trustStores } from './stores.js'

export interface TrustOptions extends ConnectionOptions {
  remove?: boolean
  print?: boolean
  store: 'all' | 'system' | 'browsers'
}

/** Does it, or prints what it would do. Throws CommandFailure: nothing to trust, or a store that failed. */
export async function trust(
  options: TrustOptions,
  terminal: Terminal,
  surroundings: Surroundings = { platform: process.platform, home: terminal.env['HOME'] || homedir(), root: '/' },
): Promise<void> {
  const authority = await authorityOf(options, terminal)
  const stores = trustStores(surroundings).filter(
    ({ kind }) => options.store === 'all' || (options.store === 'system') === (kind === 'system'),
  )
  if (stores.length === 0) {
    const message = `none of the known stores was found here: import ${authority.file} where your programs look`
    throw new CommandFailure(exitCodes.notFound, message)
  }
  const isRoot = process.getuid?.() === 0
  const stepsOf = (store: TrustStore) => (options.remove === true ? store.remove(authority) : store.add(authority))
  if (options.print === true) {
    for (const store of stores) printSteps(terminal, store, stepsOf(store), isRoot)
    return
  }
  const failures: string[] = []
  for (const store of stores) {
    const why = isInstalled(store.needs, searchPath(terminal))
      ? await runSteps(stepsOf(store), { isRoot, env: { ...terminal.env, PATH: searchPath(terminal) } })
      : `${store.needs} is not there: ${store.advice}`
    const said = why === undefined ? (options.remove === true ? 'removed from' : 'trusted by') : 'failed:'
    terminal.say(printable(`${said} ${store.name}${why === undefined ? '' : `: ${why}`}`))
    if (why !== undefined) failures.push(store.name)
  }
  if (failures.length === 0) return terminal.say('Restart browsers that are open.')
  const message = `${failures.length} of ${stores.length} stores failed; portcullis trust --print shows the commands`
  throw new CommandFailure(exitCodes.failed, message)
}

/** What the system's tools are found by: for people who are no administrators some lie aside. */
function searchPath({ env }: Terminal): string {
  return [env['PATH'], '/usr/sbin', '/sbin', '/usr/bin', '/bin'].filter(Boolean).join(':')
}

async function authorityOf(options: TrustOptions, terminal: Terminal): Promise<Trusted> {
  const settings = await readSettings(options, terminal)
  const { ownAuthority } = await import('../../http/tls/development-ca.js')
  const refuse = (message: string) => new CommandFailure(exitCodes.usage, message)
  if (settings.mode !== 'development' || settings.server.tls.kind !== 'development') {
    throw refuse('this server has no development certificate: what it shows is trusted already, or is yours to trust')
  }
  const found = readable(() => ownAuthority(settings.data.folder))
  if (found === undefined) {
    const message = `there is no authority in ${settings.data.folder} yet: start the server once (portcullis serve)`
    throw new CommandFailure(exitCodes.notFound, message)
  }
  if (!found.isLimited && options.remove !== true) {
    throw refuse(
      `${found.file} was made by an earlier version and could sign any name, so it is not brought into any store. ` +
        'Delete the folder it lies in and start the server: it makes one that can sign names of this machine only',
    )
  }
  if (found.endsAt < (terminal.now?.() ?? Date.now()) && options.remove !== true) {
    throw refuse(`${found.file} has ended: start the server, which makes a new one`)
  }
  const { file, name } = found
  return { file, name, fileName: name.toLowerCase().replace(/[^a-z0-9]+/g, '-') }
}

function readable<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new CommandFailure(exitCodes.failed, error instanceof Error ? error.message : String(error), { cause: error })
  }
}

function printSteps(terminal: Terminal, store: TrustStore, steps: readonly Step[], isRoot: boolean): void {
  terminal.out(`# ${printable(store.name)}\n`)
  for (const step of steps) terminal.out(`${printable(shellText(commandOf(step, isRoot)))}\n`)
}
