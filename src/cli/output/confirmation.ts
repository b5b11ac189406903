// Asks before something is done that cannot be undone.

import { CommandFailure, exitCodes } from './exit.js'
import { printable } from './table.js'
import type { Terminal } from './terminal.js'

/**
 * Settles when somebody agrees, or did by `--yes`. Throws CommandFailure when they do not, and when nobody is there to
 * ask.
 */
export async function requireConfirmation(terminal: Terminal, question: string, yes: boolean | undefined) {
  if (yes === true) return
  if (terminal.ask === undefined) {
    throw new CommandFailure(
      exitCodes.usage,
      'this stops what works or cannot be undone, and nobody is here to ask: say --yes',
    )
  }
  const answer = await terminal.ask(`${printable(question)} [y/N] `)
  if (!/^y(es)?$/i.test(answer.trim())) throw new CommandFailure(exitCodes.failed, 'nothing was done')
}
