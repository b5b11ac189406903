// `portcullis keys …`: the signing keys of a running server.

import type { Command } from 'commander'
import { Option } from 'commander'
import type { Answer, Body } from '../../../management/schemas.js'
import { connect } from '../../calls/connection.js'
import { addConnectionOptions, type ConnectionOptions } from '../../calls/connection-options.js'
import type { LocalClient } from '../../calls/local-client.js'
import { managementCalls } from '../../calls/management-calls.js'
import { unknown } from '../../calls/unknown-names.js'
import { CommandFailure, exitCodes } from '../../output/exit.js'
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
      const { value } = await managementCalls(client).rotateKeys({
        ...(options.purpose === undefined ? {} : { purpose: options.purpose }),
        ...(options.immediately === undefined ? {} : { immediately: options.immediately }),
      })
      terminal.say(`${rotated(value, options)} See: portcullis keys list`)
    })
  addYesOption(
    addConnectionOptions(keys.command('remove').description('remove a key at once; what it signed is refused')),
  )
    .argument('<kid>', 'key id, as listed')
    .action(async (kid: string, options: ConnectionOptions & YesOption) => {
      const client = await connect(options, terminal)
      if (options.yes !== true) await requireKey(client, kid)
      await managementCalls(client).removeKey(kid)
      terminal.say('The key is removed.')
    })
}

type Key = Answer<'keys'>['value'][number]

/** How many keys the set has now of this purpose, and from when the new ones sign. */
function rotated(keys: readonly Key[], { purpose, immediately }: RotateOptions): string {
  const ofPurpose = keys.filter((key) => key.purpose === purpose)
  const many = `The set has ${ofPurpose.length} ${ofPurpose.length === 1 ? 'key' : 'keys'} for ${purpose}s now`
  if (immediately === true) return `${many}; the new ones sign.`
  const pending = ofPurpose.filter(({ state }) => state === 'pending')
  const [first] = pending.map(({ activatesAt }) => activatesAt).sort()
  return first === undefined ? `${many}.` : `${many}; ${pending.length} of them sign from ${first} on.`
}

/** A mistyped key stops nobody, so nobody is shown what it would stop. Throws CommandFailure. */
async function requireKey(client: LocalClient, kid: string): Promise<void> {
  const listed = await managementCalls(client).listKeys().catch(unlessHidden)
  if (listed === undefined || listed.some((key) => key.kid === kid)) return
  throw await unknown(
    'key',
    kid,
    listed.map((key) => key.kid),
  )
}

/** The removal itself says so to a caller who may not list. */
function unlessHidden(error: unknown): undefined {
  const hidden: readonly number[] = [exitCodes.notFound, exitCodes.denied]
  if (!(error instanceof CommandFailure) || !hidden.includes(error.exitCode)) throw error
}
