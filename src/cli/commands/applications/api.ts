// `portcullis api …`: the APIs that a tenant offers to applications, with the permissions that its developers define.

import { type Command, InvalidArgumentError, Option } from 'commander'
import { type ApiCalls, type ApiPermissionInput, apiCalls } from '../../calls/api-calls.js'
import { connect } from '../../calls/connection.js'
import { addConnectionOptions, type ConnectionOptions } from '../../calls/connection-options.js'
import type { LocalClient } from '../../calls/local-client.js'
import { managementCalls, requireTenant } from '../../calls/management-calls.js'
import { requireConfirmation } from '../../output/confirmation.js'
import { CommandFailure, exitCodes } from '../../output/exit.js'
import { listOption } from '../../output/list-option.js'
import { type OutputFormat, outputOption, printList, printRecord } from '../../output/output.js'
import type { Terminal } from '../../output/terminal.js'

type Api = Awaited<ReturnType<ApiCalls['create']>>

interface Options extends ConnectionOptions {
  output: OutputFormat
  tenant?: string
}

interface PermissionOptions extends Options {
  describe: string
  describeIn: Readonly<Record<string, string>>
  kind?: 'application' | 'delegated'
  adminConsent?: boolean
  role?: 'member' | 'developer' | 'administrator' | 'owner'
}

const listed = {
  headings: ['NAME', 'IDENTIFIER', 'PERMISSIONS', 'API ID'],
  firstToGo: ['API ID', 'PERMISSIONS'],
  empty: 'There are no APIs of tenants. Define one: portcullis api create SHORT-NAME --name NAME',
}

const apiHelp = 'API: its id, identifier or short name'
const afterHelp = `
Tokens for it name its identifier, api://{tenant}/{short name}, as their audience; the API verifies them. An
application asks for api://{tenant}/{short name}/{permission}: see portcullis app permission add.
`

/** Adds `api` and its commands. */
export function addApiCommands(program: Command, terminal: Terminal): void {
  const api = program.command('api').description("a tenant's own APIs, and the permissions that they define")
  addConnectionOptions(api.command('list').description('list the APIs'))
    .option('--tenant <tenant>', 'only those of this tenant, id or name')
    .addOption(listOption())
    .action(async (options: Options) => {
      const client = await connect(options, terminal)
      const value = await apiCalls(client).list(await tenantOf(client, options.tenant))
      const rows = value.map((one) => [one.name, one.identifier, String(one.permissions.length), one.apiId])
      printList(terminal, options.output, { value }, { ...listed, rows })
    })
  addConnectionOptions(api.command('create').description('define an API, without permissions yet'))
    .argument('<short-name>', 'the last part of its identifier: small letters, digits, hyphens')
    .requiredOption('--name <name>', 'what people call it')
    .option('--tenant <tenant>', 'tenant, id or name (default: the oldest)')
    .addOption(outputOption())
    .addHelpText('after', afterHelp)
    .action(async (shortName: string, { name, ...options }: Options & { name: string }) => {
      const client = await connect(options, terminal)
      const tenantId = (await tenantOf(client, options.tenant)) ?? (await oldestTenant(client))
      printApi(terminal, options.output, await apiCalls(client).create({ shortName, name, tenantId, permissions: [] }))
    })
  addConnectionOptions(api.command('show').description('show an API with its permissions'))
    .argument('<api>', apiHelp)
    .addOption(outputOption())
    .action(async (reference: string, options: Options) => {
      const { api: found } = await apiCalls(await connect(options, terminal)).find(reference)
      printApi(terminal, options.output, found)
    })
  addConnectionOptions(api.command('delete').description('remove an API whose permissions no application has'))
    .argument('<api>', apiHelp)
    .option('-y, --yes', 'do not ask')
    .action(async (reference: string, options: Options & { yes?: boolean }) => {
      const calls = apiCalls(await connect(options, terminal))
      const { api: found } = await calls.find(reference)
      await requireConfirmation(terminal, `Delete the API ${found.identifier} for good?`, options.yes)
      await calls.remove(found.apiId)
      terminal.say('The API is deleted.')
    })
  addPermissions(api.command('permission').description('what it defines: set, remove'), terminal)
}

function addPermissions(permission: Command, terminal: Terminal): void {
  addConnectionOptions(permission.command('set').description('define a permission of it, or change one'))
    .argument('<api>', apiHelp)
    .argument('<id>', 'such as Orders.Read; one that ends in .All always needs an administrator')
    .requiredOption('--describe <text>', 'what it permits, for those who consent')
    .addOption(
      new Option('--describe-in <language=text>', 'the same in en, de, fr, es or ja; several times; without text: none')
        .argParser(inLanguage)
        .default({}, 'those that it has, while --describe stays as it is'),
    )
    .addOption(new Option('--kind <kind>', 'for whom it is (default: both)').choices(['application', 'delegated']))
    .option('--admin-consent', 'for people too, only an administrator consents')
    .addOption(
      new Option('--role <role>', 'the least role of a person').choices([
        'member',
        'developer',
        'administrator',
        'owner',
      ]),
    )
    .addOption(outputOption())
    .action(async (reference: string, id: string, options: PermissionOptions) => {
      const calls = apiCalls(await connect(options, terminal))
      const { api, tag } = await calls.find(reference)
      const others = api.permissions.filter((one) => one.id !== id)
      const before = api.permissions.find((one) => one.id === id)
      const permissions = [...others, permissionOf(id, options, before)]
      printApi(terminal, options.output, await calls.change(api.apiId, { permissions }, tag))
    })
  addConnectionOptions(permission.command('remove').description('take a permission away that no application has'))
    .argument('<api>', apiHelp)
    .argument('<id>')
    .action(async (reference: string, id: string, options: Options) => {
      const calls = apiCalls(await connect(options, terminal))
      const { api, tag } = await calls.find(reference)
      const permissions = api.permissions.filter((one) => one.id !== id)
      if (permissions.length === api.permissions.length) {
        throw new CommandFailure(exitCodes.notFound, 'the API has no such permission')
      }
      await calls.change(api.apiId, { permissions }, tag)
      terminal.say(`Removed. It has ${permissions.length} left.`)
    })
}

/** One more text, such as `de=Bestellungen lesen`. Throws InvalidArgumentError. */
function inLanguage(written: string, before: Readonly<Record<string, string>>): Record<string, string> {
  const [, language, text] = /^([^=]{1,35})=(.*)$/s.exec(written) ?? []
  if (language === undefined || text === undefined) throw new InvalidArgumentError('Write it as de="…".')
  return { ...before, [language]: text.trim() }
}

/** What says the same as another text of `before` says it no more when that one changes. */
function permissionOf(
  id: string,
  { describe, describeIn, kind, adminConsent, role }: PermissionOptions,
  before: Api['permissions'][number] | undefined,
): ApiPermissionInput {
  const kept = before?.describe === describe ? before.descriptions : {}
  const all: [string, string | undefined][] = Object.entries({ ...kept, ...describeIn })
  const descriptions = all.flatMap(([language, text = '']) => (text === '' ? [] : [[language, text] as const]))
  return {
    id,
    describe,
    ...(descriptions.length === 0 ? {} : { descriptions: Object.fromEntries(descriptions) }),
    kinds: kind === undefined ? ['application', 'delegated'] : [kind],
    ...(adminConsent === undefined ? {} : { adminConsent }),
    ...(role === undefined ? {} : { role }),
  }
}

async function tenantOf(client: LocalClient, tenant: string | undefined): Promise<string | undefined> {
  return tenant === undefined ? undefined : await requireTenant(managementCalls(client), tenant)
}

async function oldestTenant(client: LocalClient): Promise<string> {
  const [oldest] = await managementCalls(client).listTenants()
  if (oldest === undefined) throw new CommandFailure(exitCodes.notFound, 'there is no tenant: portcullis tenant create')
  return oldest.tenantId
}

function printApi(terminal: Terminal, output: OutputFormat, api: Api): void {
  printRecord(terminal, output, api, [
    { label: 'name', value: api.name },
    { label: 'identifier', value: api.identifier, variable: 'PORTCULLIS_API_IDENTIFIER' },
    { label: 'api id', value: api.apiId, variable: 'PORTCULLIS_API_ID' },
    { label: 'tenant', value: api.tenantId },
    ...api.permissions.flatMap(({ id, kinds, adminConsent, describe, descriptions = {} }) => [
      {
        label: 'permission',
        value: `${id} (${kinds.join(', ')}${adminConsent ? ', administrator' : ''}): ${describe}`,
      },
      ...Object.entries(descriptions).map(([language, text]) => ({ label: '', value: `${language}: ${text}` })),
    ]),
  ])
}
