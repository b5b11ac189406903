// A picture from a file, as the API takes it.

import { readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { mostLogoBytes } from '../../../branding/logo.js'
import { CommandFailure, exitCodes } from '../../output/exit.js'
import type { Terminal } from '../../output/terminal.js'

/**
 * In base64. The server says what is wrong with a picture; a file that is too large does not get there. Throws
 * CommandFailure.
 */
export async function pictureIn({ cwd }: Pick<Terminal, 'cwd'>, name: string): Promise<string> {
  const path = resolve(cwd, name)
  try {
    const { size } = await stat(path)
    if (size > mostLogoBytes) {
      throw new CommandFailure(exitCodes.usage, `${name} has ${size} bytes, and a logo may have ${mostLogoBytes}`)
    }
    return (await readFile(path)).toString('base64')
  } catch (error) {
    if (error instanceof CommandFailure) throw error
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason'
    throw new CommandFailure(exitCodes.usage, `${name} cannot be read (${code})`)
  }
}
