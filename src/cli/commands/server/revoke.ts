// `portcullis revoke …`: the operator's cut-off. It returns when the revocation is durable and in effect.

import type { Command } from 'commander'
import { connect } from '../../calls/connection.js'
import { addConnectionOptions, type ConnectionOptions } from '../../calls/connection-options.js'
import { type ManagementCalls, managementCalls, requireTenant } from '../../calls/management-calls.js'
import { CommandFailure, exitCodes } from '../../output/exit.js'
import { type OutputFormat, outputOption, printRecord } from '../../output/output.js'
import { addYesOption } from '../../output/stop-confirmation.js'
import type { Terminal } from '../../output/terminal.js'

interface Target {
  name: string
  alias?: string
  argument: string
  description: string
  /** Not for one token of one caller. */
  asks: boolean
  revoke(calls: ManagementCalls, argument: string): Promise<{ seq: number }>
}

const targets = (terminal: Terminal): readonly Target[] => [
  {
    name: 'token',
    argument: '<token>',
    description: 'one access token: the token, its jti, or - to read it from standard input',
    asks: false,
    async revoke(calls, argument) {
      const text = (argument === '-' ? await terminal.input() : argument).trim()
      if (text === '') throw new CommandFailure(exitCodes.usage, 'there is no token to revoke')
      return await calls.revoke({ what: 'token', ...(text.includes('.') ? { token: text } : { id: text }) })
    },
  },
  {
    name: 'secret',
    argument: '<keyId>',
    description: 'one client secret, by its key id, and every token got with it',
    asks: true,
    revoke: (calls, id) => calls.revoke({ what: 'credential', id }),
  },
  {
    name: 'application',
    alias: 'app',
    argument: '<app>',
    description: 'every token of an application; it may ask for new ones (see: app disable)',
    asks: true,
    async revoke(calls, reference) {
      return await calls.revoke({ what: 'application', id: await applicationIdOf(calls, reference) })
    },
  },
  {
    name: 'tenant',
    argument: '<tenant>',
    description: 'every token of a tenant; it may get new ones (see: tenant disable)',
    asks: true,
    revoke: async (calls, reference) => calls.revoke({ what: 'tenant', id: await requireTenant(calls, reference) }),
  },
]

/** The command line's own application cannot be shown, and can be revoked. */
async function applicationIdOf(calls: ManagementCalls, reference: string): Promise<string> {
  const { commandLineClient } = await import('../../../oauth/command-line-client.js')
  if (reference === commandLineClient.applicationId) return reference
  return (await calls.showApplication(reference)).applicationId
}

/** Adds `revoke` and what can be revoked. */
export function addRevokeCommands(program: Command, terminal: Terminal): void {
  const revoke = program.command('revoke').description('cut off tokens at once')
  for (const target of targets(terminal)) {
    const command = addConnectionOptions(revoke.command(target.name).description(target.description))
    if (target.alias !== undefined) command.alias(target.alias)
    const made = target.asks ? addYesOption(command) : command
    made
      .argument(target.argument)
      .addOption(outputOption())
      .action(async (argument: string, options: ConnectionOptions & { output: OutputFormat }) => {
        const revoked = await target.revoke(managementCalls(await connect(options, terminal)), argument)
        terminal.say('Revoked: it is stored and in effect.')
        printRecord(terminal, options.output, revoked, [
          { label: 'change', value: String(revoked.seq), variable: 'PORTCULLIS_SEQ' },
        ])
      })
  }
}
