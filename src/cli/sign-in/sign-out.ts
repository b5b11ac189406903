// `portcullis logout`: the sign-in ends at the server, and is forgotten here whether the server heard of it or not.

import { CommandFailure, exitCodes } from '../output/exit.js'
import type { Terminal } from '../output/terminal.js'
import { asCommand } from './client-failure.js'
import { commandLineAt } from './remote-access.js'
import { readSignIn, removeSignIn } from './saved-sign-ins.js'

/** False when nobody was signed in. Throws CommandFailure when the server could not be told. */
export async function signOut(server: string, terminal: Terminal): Promise<boolean> {
  const saved = await readSignIn(terminal, server)
  await removeSignIn(terminal, server)
  const refreshToken = saved?.tokens?.refreshToken
  if (refreshToken === undefined) return false
  await asCommand(server, () => commandLineAt(server, saved?.ca).revoke(refreshToken)).catch((error: unknown) => {
    if (!(error instanceof CommandFailure)) throw error
    const message = `${error.message}\n  It is forgotten here, and was not ended there: ${server}/account/apps`
    throw new CommandFailure(error.exitCode === exitCodes.usage ? exitCodes.failed : error.exitCode, message, {
      cause: error,
    })
  })
  return true
}
