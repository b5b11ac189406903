// A file with the public keys of an application or of an issuer.

import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { CommandFailure, exitCodes } from '../../output/exit.js'
import type { Terminal } from '../../output/terminal.js'

/** A JSON Web Key Set. */
export interface KeySet {
  keys: Record<string, unknown>[]
}

/** The set in `file`, which the server checks. Throws CommandFailure when it cannot be read or is no JSON. */
export async function readKeyFile(file: string, terminal: Pick<Terminal, 'cwd'>): Promise<KeySet> {
  try {
    return JSON.parse(await readFile(resolve(terminal.cwd, file), 'utf8'))
  } catch (error) {
    const why = error instanceof SyntaxError ? 'it is not JSON' : (error as Error).message
    throw new CommandFailure(exitCodes.usage, `the keys cannot be read from ${file}: ${why}`, { cause: error })
  }
}
