// Where a command finds the server: the configuration file names the data folder, whose admin.sock the server owns.

import { resolve } from 'node:path'
import type { Settings } from '../config/settings.js'
import type { ConnectionOptions } from './connection-options.js'
import { createLocalClient, type LocalClient } from './local-client.js'
import { readSettings } from './settings-file.js'
import type { Terminal } from './terminal.js'

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
