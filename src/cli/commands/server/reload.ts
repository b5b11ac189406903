// `portcullis reload`: has the running server read its configuration again, and prints what changed, or every mistake.

import type { Command } from 'commander'
import type { ReloadedAnswer } from '../../../management/server/configuration.js'
import { connect } from '../../calls/connection.js'
import { addConnectionOptions, type ConnectionOptions } from '../../calls/connection-options.js'
import { type OutputFormat, outputOption, printJson } from '../../output/output.js'
import { printable } from '../../output/table.js'
import type { Terminal } from '../../output/terminal.js'

/** Adds `reload`. It ends with 2 when the configuration is refused. */
export function addReloadCommand(program: Command, terminal: Terminal): void {
  addConnectionOptions(program.command('reload').description('have the server read its configuration again'))
    .addOption(outputOption(['table', 'json']))
    .action(async (options: ConnectionOptions & { output: OutputFormat }) => {
      const client = await connect(options, terminal)
      const answer = (await client.call('POST', '/configuration/reload')) as ReloadedAnswer
      if (options.output === 'json') return printJson(terminal, answer)
      for (const line of changeLines(answer)) terminal.out(`${printable(line)}\n`)
      for (const { setting, file, line, column } of answer.waiting) {
        terminal.say(`takes effect at the next start: ${printable(`${setting} (${file}:${line}:${column})`)}`)
      }
      terminal.say(inEffectText(answer, terminal.now?.() ?? Date.now()))
    })
}

const causes = {
  start: 'read at the start',
  file: 'read by itself',
  signal: 'read on a signal',
  management: 'read on request',
} as const

/** `In effect since 10:25:51 (read by itself): 14 routes, 2 upstreams.` */
function inEffectText({ result, inEffect }: ReloadedAnswer, nowMs: number): string {
  // An older server does not say.
  if (inEffect === undefined) return result === 'reloaded' ? 'The rules are in effect.' : 'Nothing changed.'
  const { since, by, routes, upstreams } = inEffect
  const what = `${counted(routes, 'route')}, ${counted(upstreams, 'upstream')}`
  if (result === 'reloaded') return `In effect now: ${what}.`
  return `In effect since ${clockTime(since, nowMs)} (${causes[by]}): ${what}.`
}

/** The time of day here, with the date when that is another one. */
function clockTime(time: string, nowMs: number): string {
  const then = new Date(time)
  const [day, clock] = [then.toLocaleDateString('sv-SE'), then.toLocaleTimeString('sv-SE')]
  return day === new Date(nowMs).toLocaleDateString('sv-SE') ? clock : `${day} ${clock}`
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** `+` came, `-` went, `~` means something else now. */
function changeLines({ changes }: ReloadedAnswer): string[] {
  return Object.entries(changes).flatMap(([section, { added, removed, changed }]) => [
    ...added.map((name) => `+ ${section} ${name}`),
    ...removed.map((name) => `- ${section} ${name}`),
    ...changed.map((name) => `~ ${section} ${name}`),
  ])
}
