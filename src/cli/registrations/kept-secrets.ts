// New secrets of several applications in one file. It is made before the first of them is requested from the server,
// and each is written down before the next is requested, so that a failure halfway loses none.

import { open, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Answer } from '../../management/schemas.js'
import { CommandFailure, exitCodes } from '../output/exit.js'
import type { Terminal } from '../output/terminal.js'

type Created = Pick<Answer<'createdApplication'>, 'name' | 'applicationId' | 'clientSecret'>

export interface SecretsFile {
  /** Writes the secret down, if there is one. */
  write(created: Created): Promise<void>
  /** Ends the file; one in which nothing was written is removed. */
  close(): Promise<void>
}

/**
 * A new file of mode 0600: `bare` for one secret alone, else a JSON document a line. Throws CommandFailure when the
 * file exists or cannot be made.
 */
export async function openSecretsFile(
  file: string,
  format: 'bare' | 'lines',
  terminal: Terminal,
): Promise<SecretsFile> {
  const path = resolve(terminal.cwd, file)
  const handle = await open(path, 'wx', 0o600).catch((error: Error) => {
    throw new CommandFailure(exitCodes.usage, `the secret's file cannot be made: ${error.message}`, { cause: error })
  })
  let written = 0
  return {
    async write({ name, applicationId, clientSecret }) {
      if (clientSecret === undefined) return
      const line = format === 'bare' ? clientSecret : JSON.stringify({ name, applicationId, clientSecret })
      await handle.appendFile(`${line}\n`)
      await handle.sync()
      written += 1
    },
    async close() {
      await handle.close()
      if (written === 0) await rm(path, { force: true })
      else terminal.say(`${written === 1 ? 'The secret is' : `${written} secrets are`} in ${path}.`)
    },
  }
}
