// A file of the configuration as a command reads it before it is in its place: one that the configuration includes is
// no configuration, and says something only among the others.

import { readFileSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import type { FileReader } from '../../config/read/file-reader.js'
import { configurationFile, namedFile, type PlacedOptions } from '../commands/server/settings-file.js'
import { CommandFailure, exitCodes } from '../output/exit.js'
import type { Terminal } from '../output/terminal.js'

/**
 * The file that was named, as a whole configuration. One without `version:` is one that the configuration includes: it
 * is read in the place of the included file `as`, or else of the one that has its name. Throws CommandFailure when no
 * such file is included.
 */
export async function placedFile(
  file: string,
  { as, config }: { as?: string | undefined; config?: string | undefined },
  terminal: Terminal,
): Promise<PlacedOptions> {
  const given = resolve(terminal.cwd, file)
  const main = await configurationFile(config === undefined ? {} : { config }, terminal)
  if (as === undefined && (given === main || !isPart(given))) return { config: file }
  const [{ readDisk }, { loadSettings }] = await Promise.all([
    import('../../config/read/file-reader.js'),
    import('../../config/read/load.js'),
  ])
  const disk = readDisk()
  const inPlace = (place: string): FileReader => ({
    file: (path, mostBytes) => disk.file(path === place ? given : path, mostBytes),
    folder: (path) => {
      const found = disk.folder(path)
      const isThere = path !== dirname(place) || ('names' in found && found.names.includes(basename(place)))
      return isThere || 'wrong' in found ? found : { names: [...found.names, basename(place)].sort() }
    },
    real: (path) => disk.real(path === place ? given : path),
  })
  if (as !== undefined) return { config: main, reader: inPlace(resolve(dirname(main), as)) }
  try {
    loadSettings({ file: main, env: terminal.env, cwd: terminal.cwd, reader: disk })
  } catch (error) {
    // Its mistakes are told when it is read again; what it includes is known by now.
    if (!(error instanceof Error) || error.name !== 'ConfigurationErrors') throw error
  }
  const places = Object.keys(disk.snapshot.files).filter((path) => path !== main && basename(path) === basename(given))
  const [place, another] = places
  if (place !== undefined && another === undefined) return { config: main, reader: inPlace(place) }
  // A whole file that lacks its version is told so.
  if (place === undefined) return { config: file }
  throw new CommandFailure(exitCodes.usage, `${main} includes several files of that name: say which with --as`)
}

function isPart(path: string): boolean {
  try {
    return !/^["']?version["']?\s*:/m.test(readFileSync(path, 'utf8'))
  } catch {
    return false
  }
}

/** The options of `check` and `test` with the file that was named as the argument, in its place. Throws as above. */
export async function placedOptions(
  file: string | undefined,
  options: PlacedOptions & { as?: string | undefined },
  terminal: Terminal,
): Promise<PlacedOptions> {
  if (file === undefined) {
    if (options.as === undefined) return options
    throw new CommandFailure(exitCodes.usage, 'say which file is read --as another one')
  }
  // For an included file --config names the configuration that it belongs to.
  const placed = await placedFile(file, options, terminal)
  return placed.reader === undefined ? namedFile(file, options) : placed
}
