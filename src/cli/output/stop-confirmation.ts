// Asks before a command stops others, with what hangs on it in numbers (decision 120): on a terminal a person answers,
// elsewhere --yes has to be said. Which changes do is found by the table of acts, whatever command sends them.

import { type Command, Option } from 'commander'
import type { Consequences } from '../../management/stopping/consequence-schemas.js'
import type { LocalClient } from '../calls/local-client.js'
import { requireConfirmation } from './confirmation.js'
import { CommandFailure, exitCodes } from './exit.js'
import { printable } from './table.js'
import type { Terminal } from './terminal.js'

export interface YesOption {
  yes?: boolean
}

/** Adds `--yes`. */
export function addYesOption(command: Command): Command {
  return command.addOption(new Option('-y, --yes', 'do not ask'))
}

/** In its place for a command that stops nobody. */
export function unchanged(command: Command): Command {
  return command
}

/** The client, which asks before a change that stops others; with `yes` it is the client itself. */
export function askingClient(client: LocalClient, terminal: Terminal, { yes }: YesOption): LocalClient {
  if (yes === true) return client
  return {
    read: client.read,
    async call(method, path, body, options) {
      if (method !== 'GET') await confirmStop({ client, terminal }, { method, path, body })
      return client.call(method, path, body, options)
    },
  }
}

/** Settles when the change may be sent. Throws CommandFailure when it may not, and as `client.call` does. */
async function confirmStop(
  { client, terminal }: { client: LocalClient; terminal: Terminal },
  change: { method: string; path: string; body: unknown },
): Promise<void> {
  const { findStop } = await import('../../management/stopping/find-stop.js')
  const read = async <T>(path: string) => (await client.call('GET', path).catch(unlessHidden)) as T | undefined
  const stop = await findStop(change, read)
  if (stop === undefined) return
  const { consequences, what, undo, question } = stop
  const counts = consequences === undefined ? undefined : await read<Consequences>(consequences)
  const { consequenceLines } = await import('../../management/stopping/consequence-words.js')
  for (const [label, value] of counts === undefined ? [] : consequenceLines(counts)) {
    terminal.say(printable(`  ${label}: ${value}`))
  }
  terminal.say(`${what} ${undo}`)
  await requireConfirmation(terminal, question, false)
}

/** What this caller may not see, or what is not there, has no numbers; the change itself will say so. */
function unlessHidden(error: unknown): undefined {
  const hidden: readonly number[] = [exitCodes.notFound, exitCodes.denied]
  if (!(error instanceof CommandFailure) || !hidden.includes(error.exitCode)) throw error
}
