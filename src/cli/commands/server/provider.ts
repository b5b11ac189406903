// `portcullis provider list|check`: the providers through which people may sign in, and whether each can be used.

import type { Command } from 'commander'
import type { ProviderAnswers } from '../../../management/server/provider-schemas.js'
import { connect } from '../../calls/connection.js'
import { addConnectionOptions, type ConnectionOptions } from '../../calls/connection-options.js'
import { CommandFailure, exitCodes } from '../../output/exit.js'
import { listOption } from '../../output/list-option.js'
import { type OutputFormat, outputOption, printJson, printList } from '../../output/output.js'
import { printable } from '../../output/table.js'
import type { Terminal } from '../../output/terminal.js'

interface Options extends ConnectionOptions {
  output: OutputFormat
}

const listed = {
  headings: ['NAME', 'LABEL', 'ISSUER', 'NEW PEOPLE', 'REDIRECT URI'],
  firstToGo: ['NEW PEOPLE'],
  empty: 'There are no providers. They stand in the configuration, under signIn.providers.',
}

/** Adds `provider` and its commands. */
export function addProviderCommands(program: Command, terminal: Terminal): void {
  const group = program.command('provider').description('other OpenID providers through which people sign in')
  addConnectionOptions(group.command('list').description('list the providers of the configuration'))
    .addOption(listOption())
    .action(async (options: Options) => {
      const client = await connect(options, terminal)
      const { value } = (await client.call('GET', '/providers')) as ProviderAnswers<'providers'>
      const rows = value.map((one) => [
        ...[one.name, one.label, one.issuer, one.createUsers ? `join as ${one.role}` : 'not let in', one.redirectUri],
      ])
      printList(terminal, options.output, { value }, { ...listed, rows })
    })
  addConnectionOptions(group.command('check').description('try whether people can sign in through a provider'))
    .argument('<name>', 'name of the provider (see: provider list)')
    .addOption(outputOption(['table', 'json']))
    .action(async (name: string, options: Options) => {
      const client = await connect(options, terminal)
      const path = `/providers/${encodeURIComponent(name)}/check`
      const check = (await client.call('POST', path)) as ProviderAnswers<'check'>
      if (options.output === 'json') printJson(terminal, check)
      else terminal.out(textOf(check))
      if (!check.ok) throw new CommandFailure(exitCodes.failed, `people cannot sign in through ${printable(name)}`)
    })
}

function textOf({ steps, redirectUri }: ProviderAnswers<'check'>): string {
  const marks = { ok: 'ok  ', fail: 'fail', unknown: '?   ' }
  const lines = steps.flatMap(({ step, state, message, advice }) => [
    `${marks[state]}  ${step.padEnd(10)}  ${printable(message)}`,
    ...(advice === null ? [] : [`                  → ${printable(advice)}`]),
  ])
  return `${[...lines, `      redirect URI to register there: ${redirectUri}`].join('\n')}\n`
}
