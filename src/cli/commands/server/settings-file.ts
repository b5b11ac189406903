// The configuration file as a command reads it. Its parser is most of what starting costs, so it is loaded only here,
// and only by commands that need it.

import { resolve } from 'node:path'
import type { FileReader } from '../../../config/read/file-reader.js'
import type { LoadOptions } from '../../../config/read/load.js'
import type { Settings } from '../../../config/settings/settings.js'
import type { ConnectionOptions } from '../../calls/connection-options.js'
import { CommandFailure, exitCodes } from '../../output/exit.js'
import type { Terminal } from '../../output/terminal.js'

/** A file that is read in the place of another one: `reader` answers it there. */
export interface PlacedOptions extends ConnectionOptions {
  reader?: FileReader
}

/** The configuration. Throws CommandFailure with every problem of the file, one a line. */
export async function readSettings(options: PlacedOptions, terminal: Terminal): Promise<Settings> {
  return read(options, terminal, ({ loadSettings }, from) => loadSettings(from))
}

/**
 * Where the server has its data. Throws CommandFailure with every problem of the file, one a line, but those of its
 * rules.
 */
export async function readDataFolder(options: ConnectionOptions, terminal: Terminal): Promise<string> {
  return read(options, terminal, ({ loadDataFolder }, from) => loadDataFolder(from))
}

type Loading = typeof import('../../../config/read/load.js')

async function read<T>(
  options: PlacedOptions,
  terminal: Terminal,
  load: (loading: Loading, from: LoadOptions) => T,
): Promise<T> {
  const [loading, { ConfigurationErrors }] = await Promise.all([
    import('../../../config/read/load.js'),
    import('../../../config/report/problem.js'),
  ])
  const from = {
    file: await configurationFile(options, terminal),
    env: terminal.env,
    cwd: terminal.cwd,
    ...(options.reader === undefined ? {} : { reader: options.reader }),
  }
  try {
    return load(loading, from)
  } catch (error) {
    if (!(error instanceof ConfigurationErrors)) throw error
    throw new CommandFailure(exitCodes.usage, `the configuration is wrong:\n${error.message}`, { cause: error })
  }
}

/** The options with the file that was named as the argument. Throws CommandFailure when `--config` names one too. */
export function namedFile<O extends ConnectionOptions>(file: string | undefined, options: O): O {
  if (file !== undefined && options.config !== undefined) {
    throw new CommandFailure(exitCodes.usage, 'name one file: as the argument or with --config')
  }
  return file === undefined ? options : { ...options, config: file }
}

/** The file that `--config` or PORTCULLIS_CONFIG names, else the one that comes with Portcullis. */
export async function configurationFile(options: ConnectionOptions, terminal: Terminal): Promise<string> {
  const named = options.config ?? terminal.env['PORTCULLIS_CONFIG']
  if (named) return resolve(terminal.cwd, named)
  const { defaultConfigFile } = await import('../../../config/read/package-root.js')
  return defaultConfigFile(terminal.cwd)
}
