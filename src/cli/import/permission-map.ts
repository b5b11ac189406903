// The map of permissions as the command line and a file say it.

import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { PermissionMap } from '../../management/imports/permission-map.js'
import { CommandFailure, exitCodes } from '../output/exit.js'
import type { Terminal } from '../output/terminal.js'

/**
 * The map of `--map name=permission` and of a JSON file `{"name": "permission"}`. Throws CommandFailure when it is
 * none.
 */
export async function readPermissionMap(
  given: readonly string[],
  file: string | undefined,
  terminal: Terminal,
): Promise<PermissionMap> {
  const map = new Map(file === undefined ? [] : await entriesOf(file, terminal))
  for (const argument of given) {
    const equals = argument.lastIndexOf('=')
    if (equals < 1 || equals === argument.length - 1) throw wrong(`--map ${argument}: write name=permission`)
    map.set(argument.slice(0, equals), argument.slice(equals + 1))
  }
  return map
}

async function entriesOf(file: string, terminal: Terminal): Promise<[string, string][]> {
  let parsed: unknown
  try {
    parsed = JSON.parse(await readFile(resolve(terminal.cwd, file), 'utf8'))
  } catch (error) {
    throw wrong(`${file} cannot be read: ${error instanceof SyntaxError ? 'it is not JSON' : (error as Error).message}`)
  }
  const isMap = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
  const entries = isMap ? Object.entries(parsed as object) : []
  if (!isMap || entries.some(([, target]) => typeof target !== 'string' || target === '')) {
    throw wrong(`${file} is not a map of permissions: {"name": "resource/id"}`)
  }
  return entries
}

function wrong(message: string): CommandFailure {
  return new CommandFailure(exitCodes.usage, message)
}
