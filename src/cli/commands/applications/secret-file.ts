// `--secret-file`: the file is made before the secret is requested from the server, because a secret that cannot be
// written down when it arrives is lost.

import { open, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { CommandFailure, exitCodes } from '../../output/exit.js'
import type { Terminal } from '../../output/terminal.js'

/**
 * Runs `ask`, which gets a secret from the server, and puts the secret into a new file of mode 0600. Without a file
 * name it only runs `ask`. Throws CommandFailure before asking when the file exists or cannot be made; when asking
 * fails, the file is removed again.
 */
export async function askingForSecret<Answer extends { clientSecret?: string }>(
  terminal: Terminal,
  file: string | undefined,
  ask: () => Promise<Answer>,
): Promise<{ answer: Answer; kept: boolean }> {
  if (file === undefined) return { answer: await ask(), kept: false }
  const path = resolve(terminal.cwd, file)
  const handle = await open(path, 'wx', 0o600).catch((error: Error) => {
    throw new CommandFailure(exitCodes.usage, `the secret's file cannot be made: ${error.message}`, { cause: error })
  })
  let kept = false
  try {
    const answer = await ask()
    if (answer.clientSecret === undefined) return { answer, kept }
    await handle.writeFile(`${answer.clientSecret}\n`)
    await handle.sync()
    kept = true
    terminal.say(`The secret is in ${path}.`)
    return { answer, kept }
  } finally {
    await handle.close()
    if (!kept) await rm(path, { force: true })
  }
}
