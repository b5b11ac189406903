// Which plan which application of an import is put on, as the command line says it.

import { CommandFailure, exitCodes } from '../output/exit.js'
import { printable } from '../output/table.js'

/**
 * `reports=free` by the identifier in the source, which may have an equals sign itself. Throws CommandFailure for what
 * is no pair, and for an identifier that is not among `ids`.
 */
export function plansByIdentifier(pairs: readonly string[] = [], ids: readonly string[]): Map<string, string> {
  return new Map(pairs.map((text) => pairOf(text, ids)))
}

function pairOf(text: string, ids: readonly string[]): [string, string] {
  const at = text.lastIndexOf('=')
  if (at < 1 || at === text.length - 1) {
    const message = `write the identifier and the plan, such as reports=free, not ${printable(text)}`
    throw new CommandFailure(exitCodes.usage, message)
  }
  const id = text.slice(0, at)
  if (ids.includes(id)) return [id, text.slice(at + 1)]
  throw new CommandFailure(exitCodes.usage, `the file has no application ${printable(id)}`)
}
