// Where a command finds the server: the configuration file names the data folder, whose admin.sock the server owns.
// The configuration is loaded only by commands that need it, for its parser is most of what starting costs.

import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { Settings } from '../config/settings.js'
import { CommandFailure, exitCodes } from './exit.js'
import { createLocalClient, type LocalClient } from './local-client.js'
import type { Terminal } from './terminal.js'

export interface ConnectionOptions {
  config?: string
  socket?: string
}

/** Adds `--config`. */
export function addConfigOption(command: Command): Command {
  return command.option('-c, --config <file>', 'configuration file (or PORTCULLIS_CONFIG)')
}

/** Adds `--config` and `--socket`. */
export function addConnectionOptions(command: Command): Command {
  return addConfigOption(command).option('--socket <path>', "the server's local socket (or PORTCULLIS_SOCKET)")
}

/** The configuration. Throws CommandFailure with every problem of the file, one a line. */
export async function readSettings(options: ConnectionOptions, terminal: Terminal): Promise<Settings> {
  const [{ loadSettings }, { ConfigurationErrors }] = await Promise.all([
    import('../config/load.js'),
    import('../config/problem.js'),
  ])
  try {
    return loadSettings({ file: await configurationFile(options, terminal), env: terminal.env, cwd: terminal.cwd })
  } catch (error) {
    if (!(error instanceof ConfigurationErrors)) throw error
    throw new CommandFailure(exitCodes.usage, `the configuration is wrong:\n${error.message}`, { cause: error })
  }
}

/** The file that `--config` or PORTCULLIS_CONFIG names, else the one that comes with Portcullis. */
export async function configurationFile(options: ConnectionOptions, terminal: Terminal): Promise<string> {
  const named = options.config ?? terminal.env['PORTCULLIS_CONFIG']
  if (named) return resolve(terminal.cwd, named)
  const { defaultConfigFile } = await import('../config/package-root.js')
  return defaultConfigFile()
}

/** The path of the server's socket: named, or in the data folder of the configuration. */
export async function socketPath(options: ConnectionOptions, terminal: Terminal): Promise<string> {
  const named = options.socket ?? terminal.env['PORTCULLIS_SOCKET']
  if (named) return resolve(terminal.cwd, named)
  return socketOf(await readSettings(options, terminal), terminal)
}

/** The socket in the data folder of these settings. */
export function socketOf(settings: Settings, terminal: Terminal): string {
  return resolve(terminal.cwd, settings.data.folder, 'admin.sock')
}

/** A client of the running server. Nothing is opened until it is used. */
export async function connect(options: ConnectionOptions, terminal: Terminal): Promise<LocalClient> {
  return createLocalClient(await socketPath(options, terminal))
}
