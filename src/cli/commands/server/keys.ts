// `portcullis keys …`: the signing keys of a running server.

import type { Command } from 'commander'
import { Option } from 'commander'
import type { Body } from '../../../management/schemas.js'
import { connect } from '../../calls/connection.js'
import { addConnectionOptions, type ConnectionOptions } from '../../calls/connection-options.js'
import { managementCalls } from '../../calls/management-calls.js'
import { listOption } from '../../output/list-option.js'
import { type OutputFormat, printList } from '../../output/output.js'
import { addYesOption, type YesOption } from '../../output/stop-confirmation.js'
import type { Terminal } from '../../output/terminal.js'

type RotateOptions = ConnectionOptions & YesOption & Body<'rotateKeys'>

/** Adds `keys` and its commands. */
export function addKeyCommands(program: Command, terminal: Terminal): void {
  const keys = program.command('keys').alias('key').description('list, rotate and remove signing keys')
  addConnectionOptions(keys.command('list').description('list the signing keys'))
    .addOption(listOption())
    .action(async (options: ConnectionOptions & { output: OutputFormat }) => {
      const value = await managementCalls(await connect(options, terminal)).listKeys()
      const rows = value.map((key) => [key.kid, key.purpose, key.alg, key.state, key.activatesAt, key.removesAt ?? ''])
      const headings = ['KEY ID', 'PURPOSE', 'ALGORITHM', 'STATE', 'SIGNS FROM', 'REMOVED AT']
      printList(terminal, options.output, { value }, { headings, rows, firstToGo: ['ALGORITHM', 'REMOVED AT'] })
    })
  addYesOption(
    addConnectionOptions(keys.command('rotate').description('make a new key; it signs after its time of publication')),
  )
    .addOption(new Option('--purpose <purpose>', 'which keys').choices(['token', 'assertion']).default('token'))
    .option('--immediately', 'let it sign at once: verifiers that cache the old set refuse its tokens for a while')
    .action(async (options: RotateOptions) => {
      const client = await connect(options, terminal)
      await managementCalls(client).rotateKeys({
        ...(options.purpose === undefined ? {} : { purpose: options.purpose }),
        ...(options.immediately === undefined ? {} : { immediately: options.immediately }),
      })
      terminal.say('A new key is in the set. See: portcullis keys list')
    })
  addYesOption(
    addConnectionOptions(keys.command('remove').description('remove a key at once; what it signed is refused')),
  )
    .argument('<kid>', 'key id, as listed')
    .action(async (kid: string, options: ConnectionOptions & YesOption) => {
      const client = await connect(options, terminal)
      await managementCalls(client).removeKey(kid)
      terminal.say('The key is removed.')
    })
}
