// `portcullis registration-token …`: leave for others to register applications by standard (RFC 7591).

import type { Command } from 'commander'
import { collected, durationSeconds, wholeNumber } from '../../arguments.js'
import { type ClientCalls, clientCalls } from '../../calls/client-calls.js'
import { connect } from '../../calls/connection.js'
import { addConnectionOptions, type ConnectionOptions } from '../../calls/connection-options.js'
import type { LocalClient } from '../../calls/local-client.js'
import { type ManagementCalls, managementCalls, requireTenant } from '../../calls/management-calls.js'
import { namesOf } from '../../calls/names.js'
import { listOption } from '../../output/list-option.js'
import { type OutputFormat, outputOption, printList, printRecord } from '../../output/output.js'
import { addYesOption } from '../../output/stop-confirmation.js'
import type { Terminal } from '../../output/terminal.js'
import { permissionArgument } from './permission-argument.js'
import { askingForSecret } from './secret-file.js'

interface Options extends ConnectionOptions {
  output: OutputFormat
  tenant?: string
}

interface CreateOptions extends Options {
  uses?: number
  expires?: number
  permission?: string[]
  secretFile?: string
}

const listed = {
  headings: ['ID', 'LABEL', 'USES LEFT', 'ENDS', 'TENANT', 'TENANT ID', 'AT MOST'],
  context: ['TENANT', 'TENANT ID'],
  firstToGo: ['TENANT ID'],
  empty: 'There are no registration tokens. Make one: portcullis registration-token create --help',
}

const hourSeconds = 3_600

/** Adds `registration-token` and its commands. */
export function addRegistrationTokenCommands(program: Command, terminal: Terminal): void {
  const group = program.command('registration-token').description('let others register applications by RFC 7591')
  const open = async (options: ConnectionOptions) => {
    const client = await connect(options, terminal)
    return { client, calls: clientCalls(client), management: managementCalls(client) }
  }
  addCreate(group, terminal, open)
  addConnectionOptions(group.command('list').description('list the tokens, without what is secret'))
    .option('--tenant <tenant>', 'tenant, id or name (default: all that you look after)')
    .addOption(listOption())
    .action(async (options: Options) => {
      const { client, calls, management } = await open(options)
      const value = await calls.listTokens(await tenantOf(management, options))
      const { tenant } = await namesOf(client, options.output, { tenants: value.map(({ tenantId }) => tenantId) })
      const rows = value.map((one) => [
        ...[one.id, one.label, String(one.usesLeft), one.expiresAt, tenant(one.tenantId), one.tenantId],
        one.permissions.map(({ kind, id }) => `${kind}:${id}`).join(' '),
      ])
      printList(terminal, options.output, { value }, { ...listed, rows })
    })
  addYesOption(
    addConnectionOptions(group.command('revoke').description('end a token; what was registered with it stays')),
  )
    .argument('<id>', 'id of the token (see: registration-token list)')
    .action(async (id: string, options: ConnectionOptions) => {
      await (await open(options)).calls.revokeToken(id)
      terminal.say('The registration token has ended.')
    })
}

type Open = (
  options: ConnectionOptions,
) => Promise<{ client: LocalClient; calls: ClientCalls; management: ManagementCalls }>

function addCreate(group: Command, terminal: Terminal, open: Open): void {
  addConnectionOptions(group.command('create').description('make a token; it is shown only now'))
    .argument('<label>', 'what it is for')
    .option('--tenant <tenant>', 'tenant, id or name (default: the oldest, or your own)')
    .option('--uses <number>', 'how many applications may be registered with it (default: 1)', wholeNumber)
    .option('--expires <duration>', 'when it ends, in whole hours (default: 24h; at most 90d)', durationSeconds)
    .option(
      '--permission <permission>',
      'what they may be configured with at the most: [application:|delegated:][{resource}/]id, repeatable',
      collected,
    )
    .option('--secret-file <file>', 'write the token to a new file (0600) instead of the output')
    .addOption(outputOption())
    .action(async (label: string, options: CreateOptions) => {
      const { calls, management } = await open(options)
      const tenantId = await tenantOf(management, options)
      const body = {
        label,
        ...(tenantId === undefined ? {} : { tenantId }),
        ...(options.uses === undefined ? {} : { uses: options.uses }),
        ...(options.expires === undefined ? {} : { expiresInHours: Math.ceil(options.expires / hourSeconds) }),
        permissions: (options.permission ?? []).map((one) => permissionArgument(one, 'delegated')),
      }
      const { answer, kept } = await askingForSecret(terminal, options.secretFile, async () => {
        const { token, ...made } = await calls.createToken(body)
        return { ...made, clientSecret: token }
      })
      const { clientSecret, ...made } = answer
      printRecord(terminal, options.output, kept ? made : { ...made, token: clientSecret }, [
        { label: 'id', value: made.id, variable: 'PORTCULLIS_REGISTRATION_TOKEN_ID' },
        { label: 'endpoint', value: made.registrationEndpoint, variable: 'PORTCULLIS_REGISTRATION_ENDPOINT' },
        { label: 'uses', value: String(made.usesLeft) },
        { label: 'ends', value: made.expiresAt },
        ...(kept ? [] : [{ label: 'token', value: clientSecret, variable: 'PORTCULLIS_REGISTRATION_TOKEN' }]),
      ])
    })
}

async function tenantOf(management: ManagementCalls, { tenant }: Options): Promise<string | undefined> {
  return tenant === undefined ? undefined : requireTenant(management, tenant)
}
