// Where a command finds the server: on this machine the configuration file names the data folder, whose admin.sock the
// server owns; elsewhere it is an address, at which somebody signed in.

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { readDataFolder } from '../commands/server/settings-file.js'
import { CommandFailure, exitCodes } from '../output/exit.js'
import { askingClient } from '../output/stop-confirmation.js'
import type { Terminal } from '../output/terminal.js'
import type { ConnectionOptions } from './connection-options.js'
import { createLocalClient, type LocalClient } from './local-client.js'
import { withNearestNames } from './unknown-names.js'

/** The path of the server's socket: named, or in the data folder of the configuration. */
export async function socketPath(options: ConnectionOptions, terminal: Terminal): Promise<string> {
  const named = options.socket ?? terminal.env['PORTCULLIS_SOCKET']
  if (named) return resolve(terminal.cwd, named)
  return socketIn(await readDataFolder(options, terminal), terminal)
}

/** The socket in a data folder. */
export function socketIn(folder: string, terminal: Terminal): string {
  return resolve(terminal.cwd, folder, 'admin.sock')
}

/**
 * The server elsewhere that is meant; undefined: the one of this machine. Named, or by its environment variable, or,
 * where no server of this folder is in sight, the one that was signed in to last. Throws CommandFailure for two at
 * once.
 */
export async function chosenServer(
  { server, socket, config }: ConnectionOptions,
  terminal: Terminal,
): Promise<{ server: string; implied: boolean } | undefined> {
  if (server !== undefined && socket !== undefined) {
    throw new CommandFailure(exitCodes.usage, 'a server is reached by --server or by --socket, not by both')
  }
  const { env } = terminal
  const named = server ?? (socket === undefined && config === undefined ? env['PORTCULLIS_SERVER'] : undefined)
  if (named) return { server: (await import('../sign-in/server-address.js')).serverAddress(named), implied: false }
  if (socket !== undefined || config !== undefined || env['PORTCULLIS_SOCKET'] || env['PORTCULLIS_CONFIG'])
    return undefined
  // Who stands beside a server needs no home folder that can be read.
  if (existsSync(resolve(terminal.cwd, env['PORTCULLIS_DATA'] || 'data', 'admin.sock'))) return undefined
  const { currentServer } = await import('../sign-in/current-server.js')
  const last = await currentServer(terminal)
  return last === undefined ? undefined : { server: last, implied: true }
}

/** A client of the server that is meant, which asks before what stops others. Nothing is opened until it is used. */
export async function connect(options: ConnectionOptions, terminal: Terminal): Promise<LocalClient> {
  return askingClient(await reach(options, terminal), terminal, options)
}

async function reach(options: ConnectionOptions, terminal: Terminal): Promise<LocalClient> {
  const elsewhere = await chosenServer(options, terminal)
  if (elsewhere === undefined) return withNearestNames(createLocalClient(await socketPath(options, terminal)))
  // A person who did not say where should see it; a script said so once, at its login.
  if (elsewhere.implied && terminal.interactive) terminal.say(`at ${elsewhere.server}`)
  const { createRemoteClient } = await import('../sign-in/remote-client.js')
  return withNearestNames(createRemoteClient(elsewhere.server, terminal))
}
