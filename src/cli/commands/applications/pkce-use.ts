// What the commands say of PKCE: that it is recommended when somebody registers, and how many sign-ins came with it.

import type { PkceUseAnswer } from '../../../management/applications/pkce-use.js'
import type { Answer } from '../../../management/schemas.js'
import type { LocalClient } from '../../calls/local-client.js'
import { CommandFailure, exitCodes } from '../../output/exit.js'
import { type OutputFormat, printList } from '../../output/output.js'
import type { Terminal } from '../../output/terminal.js'

const listed = { headings: ['DAY', 'WITH PKCE', 'WITHOUT'], empty: 'Nobody signed in to it in the last thirty days.' }

type About = Pick<Answer<'application'>, 'applicationId' | 'type' | 'requirePkce' | 'redirectUris'>

/** The figures of an application, by its identifier. */
async function readPkceUse(client: LocalClient, applicationId: string): Promise<PkceUseAnswer> {
  return (await client.call('GET', `/applications/${applicationId}/pkceUse`)) as PkceUseAnswer
}

/** Whether it is worth a word: people sign in, and PKCE is not required. */
function isPkceOpen({ type, requirePkce, redirectUris }: About): boolean {
  return type === 'web' && !requirePkce && redirectUris.length > 0
}

/** After a registration. */
export function recommendPkce(terminal: Terminal, application: About): void {
  if (!isPkceOpen(application)) return
  terminal.say('Recommended, unless its library sends no code_challenge: require PKCE with')
  terminal.say(`  ${requiring(application)}`)
}

/** As sayPkceUse, of an application where it is open; nothing at a server that does not count yet. */
export async function sayPkceUseOf(terminal: Terminal, client: LocalClient, application: About): Promise<void> {
  if (!isPkceOpen(application)) return
  try {
    sayPkceUse(terminal, await readPkceUse(client, application.applicationId))
  } catch (error) {
    if (!(error instanceof CommandFailure) || error.exitCode !== exitCodes.notFound) throw error
  }
}

/** Below an application or its usage: what the figures say, and how to require it. */
function sayPkceUse(terminal: Terminal, use: PkceUseAnswer): void {
  const { withPkce, withoutPkce, lastWithoutAt, suggested } = use
  const all = withPkce + withoutPkce
  if (use.required || all === 0) return
  if (lastWithoutAt !== null) {
    terminal.say(`${withoutPkce} of ${all} requests of the last 30 days came without PKCE,\nlast on ${lastWithoutAt}`)
  } else if (suggested) {
    terminal.say(`All ${all} requests of the last 30 days used PKCE: require it with`)
    terminal.say(`  ${requiring(use)}`)
  } else terminal.say(`All ${all} requests since ${use.countedSince} used PKCE`)
}

/** The figures of an application by day, by its identifier, and what they say. */
export async function printPkceUse(
  terminal: Terminal,
  client: LocalClient,
  { applicationId, format }: { applicationId: string; format: OutputFormat },
): Promise<void> {
  const use = await readPkceUse(client, applicationId)
  const rows = use.value.map(({ day, withPkce, withoutPkce }) => [day, String(withPkce), String(withoutPkce)])
  printList(terminal, format, use, { ...listed, rows })
  sayPkceUse(terminal, use)
}

function requiring({ applicationId }: Pick<About, 'applicationId'>): string {
  return `portcullis app set ${applicationId} --require-pkce`
}
