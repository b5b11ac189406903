// Reads the document and prints the proposal.

import { readFile } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { NotYaml, readPlainYaml } from '../../openapi/plain-yaml.js'
import { CommandFailure, exitCodes } from '../output/exit.js'
import type { Terminal } from '../output/terminal.js'
import { checkDocument } from './document.js'
import { proposeRules } from './proposal.js'
import { proposalText } from './text.js'

/** The YAML. Throws CommandFailure with what is wrong with the file or an option. */
export async function proposeFromFile(
  file: string,
  { name, target, prefix = '' }: { name: string; target?: string; prefix?: string },
  terminal: Terminal,
): Promise<string> {
  if (!/^[a-z][a-z0-9-]{0,63}$/.test(name))
    throw refused('--name is lower-case letters, digits and hyphens, beginning with a letter')
  if (prefix !== '' && !/^(\/[A-Za-z0-9._~-]+)+\/?$/.test(prefix))
    throw refused('--prefix is a plain path, such as /api/v2/pets')
  if (target !== undefined && !/^https?:\/\/[^/]/i.test(target))
    throw refused('--target is http(s)://host:port with an optional path')
  const text = file === '-' ? await terminal.input() : await read(resolve(terminal.cwd, file))
  const checked = checkDocument(parsed(text, file))
  if (typeof checked === 'string') throw refused(`${file}: ${checked}`)
  return proposalText(
    proposeRules(checked, { upstream: name, target, prefix }),
    file === '-' ? 'standard input' : basename(file),
  )
}

function parsed(text: string, file: string): unknown {
  try {
    return readPlainYaml(text)
  } catch (error) {
    if (error instanceof NotYaml) throw refused(`${file}: ${error.message}`)
    throw error
  }
}

async function read(path: string): Promise<string> {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path))
  } catch (error) {
    const why = (error as NodeJS.ErrnoException).code ?? 'it is not UTF-8'
    throw new CommandFailure(exitCodes.usage, `the file cannot be read: ${why}`, { cause: error })
  }
}

function refused(message: string): CommandFailure {
  return new CommandFailure(exitCodes.usage, message)
}
