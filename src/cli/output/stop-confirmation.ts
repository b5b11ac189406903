// Asks before a command stops others, with what hangs on it in numbers (decision 120): on a terminal a person answers,
// elsewhere --yes has to be said.

import { type Command, Option } from 'commander'
import type { Consequences } from '../../management/stopping/consequence-schemas.js'
import type { LocalClient } from '../calls/local-client.js'
import { requireConfirmation } from './confirmation.js'
import { printable } from './table.js'
import type { Terminal } from './terminal.js'

export interface YesOption {
  yes?: boolean
}

/** Adds `--yes`. */
export function addYesOption(command: Command): Command {
  return command.addOption(new Option('-y, --yes', 'do not ask'))
}

/**
 * Settles when the act may go on. `subject` is the path whose consequences are counted, below /api/v2. Throws
 * CommandFailure when it may not, and as `client.call` does.
 */
export async function confirmStop(
  { client, terminal }: { client: LocalClient; terminal: Terminal },
  about: { subject: string; question: string; what: string },
  { yes }: YesOption,
): Promise<void> {
  if (yes === true) return
  const counts = (await client.call('GET', `${about.subject}/consequences`)) as Consequences
  const { consequenceLines } = await import('../../management/stopping/consequence-words.js')
  for (const [label, value] of consequenceLines(counts)) terminal.say(printable(`  ${label}: ${value}`))
  terminal.say(about.what)
  await requireConfirmation(terminal, about.question, yes)
}
