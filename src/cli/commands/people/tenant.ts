// `portcullis tenant …` and `portcullis permission list`: the tenants, and the catalogue that applications choose from.

import { type Command, Option } from 'commander'
import type { Answer } from '../../../management/schemas.js'
import { connect } from '../../calls/connection.js'
import { addConnectionOptions, type ConnectionOptions } from '../../calls/connection-options.js'
import { managementCalls, requireTenant } from '../../calls/management-calls.js'
import { peopleCalls } from '../../calls/people-calls.js'
import { CommandFailure, exitCodes } from '../../output/exit.js'
import { listOption } from '../../output/list-option.js'
import { type OutputFormat, outputOption, printList, printRecord } from '../../output/output.js'
import { addYesOption, unchanged, type YesOption } from '../../output/stop-confirmation.js'
import type { Terminal } from '../../output/terminal.js'
import { addTenantBrandCommands } from '../brands/brand-command.js'

interface SetOptions extends ConnectionOptions {
  userConsent?: Answer<'tenant'>['userConsent']
  deviceCodes?: Answer<'tenant'>['deviceCodes']
  administrators?: Answer<'tenant'>['administrators']
  secondFactor?: Answer<'tenant'>['secondFactor']
  ownSignIn?: Answer<'tenant'>['ownSignIn']
  signInProviders?: string
  clientHosts?: string
}

interface PrintOptions extends ConnectionOptions {
  output: OutputFormat
}

const tenants = {
  headings: ['NAME', 'TENANT ID', 'STATE', 'CREATED'],
  empty: 'There are no tenants yet. Make one: portcullis tenant create NAME',
}

const members = {
  headings: ['E-MAIL', 'ROLE', 'USER ID', 'SINCE'],
  firstToGo: ['USER ID'],
  empty: 'Nobody belongs to it yet. Invite somebody: portcullis user invite --help',
}

const catalogue = {
  headings: ['ID', 'KINDS', 'RESOURCE', 'DESCRIPTION'],
  context: ['RESOURCE'],
  firstToGo: ['RESOURCE', 'KINDS'],
  empty: 'The configuration defines no permissions.',
}

/** Adds `tenant` and its commands. */
export function addTenantCommands(program: Command, terminal: Terminal): void {
  const tenant = program.command('tenant').description('list, create, change, disable and enable tenants')
  const open = async (options: ConnectionOptions) => managementCalls(await connect(options, terminal))
  addConnectionOptions(tenant.command('list').description('list the tenants'))
    .addOption(listOption())
    .action(async (options: PrintOptions) => {
      const value = await (await open(options)).listTenants()
      const rows = value.map((each) => [each.name, each.tenantId, each.state, each.createdAt])
      printList(terminal, options.output, { value }, { ...tenants, rows })
    })
  addConnectionOptions(tenant.command('create').description('create a tenant'))
    .argument('<name>')
    .addOption(outputOption())
    .action(async (name: string, options: PrintOptions) => {
      printTenant(terminal, options.output, await (await open(options)).createTenant({ name }))
    })
  addConnectionOptions(tenant.command('show').description('show one tenant'))
    .argument('<tenant>', 'tenant id or exact name')
    .addOption(outputOption())
    .action(async (reference: string, options: PrintOptions) => {
      const calls = await open(options)
      printTenant(terminal, options.output, await calls.showTenant(await requireTenant(calls, reference)))
    })
  addConnectionOptions(tenant.command('members').description('list who belongs to a tenant, and in which role'))
    .argument('<tenant>', 'tenant id or exact name')
    .addOption(listOption())
    .action(async (reference: string, options: PrintOptions) => {
      const client = await connect(options, terminal)
      const tenantId = await requireTenant(managementCalls(client), reference)
      const people = peopleCalls(client)
      const [found, users] = await Promise.all([people.listMembers(tenantId), people.listUsers(tenantId)])
      const emails = new Map(users.map(({ userId, email }) => [userId, email]))
      const value = found.map((one) => ({ ...one, email: emails.get(one.userId) ?? '' }))
      const rows = value.map((one) => [one.email, one.role, one.userId, one.createdAt])
      printList(terminal, options.output, { value }, { ...members, rows })
    })
  addSet(tenant, open, terminal)
  addTenantBrandCommands(tenant, terminal)
  const addSwitch = (verb: string, state: 'enabled' | 'disabled', description: string) =>
    (state === 'disabled' ? addYesOption : unchanged)(
      addConnectionOptions(tenant.command(verb).description(description)),
    )
      .argument('<tenant>', 'tenant id or exact name')
      .action(async (reference: string, options: ConnectionOptions & YesOption) => {
        const client = await connect(options, terminal)
        const calls = managementCalls(client)
        const tenantId = await requireTenant(calls, reference)
        await calls.changeTenant(tenantId, { state })
        terminal.say(`The tenant is ${state}.`)
      })
  addSwitch('disable', 'disabled', 'refuse its applications new tokens and refuse the ones they have')
  addSwitch('enable', 'enabled', 'let a disabled tenant in again')
}

function addSet(
  tenant: Command,
  open: (options: ConnectionOptions) => Promise<ReturnType<typeof managementCalls>>,
  terminal: Terminal,
): void {
  addYesOption(
    addConnectionOptions(
      tenant.command('set').description('change who may consent in a tenant, device codes, and sign-in'),
    ),
  )
    .argument('<tenant>', 'tenant id or exact name')
    .addOption(
      new Option(
        '--user-consent <who>',
        'who may consent where no administrator is needed; verified: people, to own applications and verified publishers',
      ).choices(['allowed', 'verified', 'administrators']),
    )
    .addOption(
      new Option('--device-codes <what>', 'whether people may sign devices in with a code').choices(['allowed', 'off']),
    )
    .addOption(
      new Option('--administrators <how>', 'how administrators sign in for changes of weight').choices([
        'any',
        'secondFactor',
      ]),
    )
    .addOption(
      new Option('--second-factor <role>', 'the least role that needs a second factor to do anything').choices([
        'none',
        'owner',
        'administrator',
        'developer',
        'member',
      ]),
    )
    .addOption(
      new Option('--own-sign-in <who>', 'who signs in with a password or a passkey of this server').choices([
        'allowed',
        'owners',
      ]),
    )
    .option('--sign-in-providers <names>', 'the providers through which people sign in, with commas between; or: all')
    .option(
      '--client-hosts <hosts>',
      'hosts whose clients people may use though nobody registered them, with commas between; or: all (that the server takes)',
    )
    .action(async (reference: string, options: SetOptions) => {
      const { userConsent, deviceCodes, administrators, secondFactor, ownSignIn } = options
      const signInProviders = namesOf(options.signInProviders)
      const clientHosts = namesOf(options.clientHosts)
      const given = [userConsent, deviceCodes, administrators, secondFactor, ownSignIn, signInProviders, clientHosts]
      if (given.every((each) => each === undefined)) {
        throw new CommandFailure(exitCodes.usage, 'say what to change: see --help')
      }
      const calls = await open(options)
      const said = {
        ...(userConsent === undefined ? {} : { userConsent }),
        ...(deviceCodes === undefined ? {} : { deviceCodes }),
        ...(administrators === undefined ? {} : { administrators }),
        ...(secondFactor === undefined ? {} : { secondFactor }),
        ...(ownSignIn === undefined ? {} : { ownSignIn }),
        ...(signInProviders === undefined ? {} : { signInProviders }),
        ...(clientHosts === undefined ? {} : { clientHosts }),
      }
      const changed = await calls.changeTenant(await requireTenant(calls, reference), said)
      if (userConsent !== undefined) terminal.say(consentWords[userConsent])
      if (deviceCodes !== undefined) terminal.say(`Device codes are ${deviceCodes}.`)
      if (administrators !== undefined) terminal.say(administratorsWords[administrators])
      if (secondFactor !== undefined) terminal.say(factorWords(secondFactor))
      if (clientHosts !== undefined) terminal.say(clientsWords(clientHosts))
      if (ownSignIn !== undefined || signInProviders !== undefined) {
        terminal.say(`Its people sign in with ${waysOf(changed as Answer<'tenant'>)}.`)
      }
    })
}

function namesOf(said: string | undefined): string[] | null | undefined {
  if (said === undefined) return undefined
  if (said === 'all') return null
  return said.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]))
}

function clientsWords(hosts: readonly string[] | null): string {
  const whose = hosts === null ? 'all hosts that the server takes' : hosts.length === 0 ? 'no host' : hosts.join(', ')
  return `Clients that nobody registered are taken of ${whose}.`
}

function waysOf({ ownSignIn, signInProviders, missingProviders, onlyOwners }: Answer<'tenant'>): string {
  const who = onlyOwners ? 'owners only; nobody else can sign in now' : 'owners only'
  const own = `a password or a passkey${ownSignIn === 'owners' ? ` (${who})` : ''}`
  if (signInProviders === null) return `${own}, or any provider of the server`
  const names = signInProviders.map((name) =>
    missingProviders.includes(name) ? `${name} (not in the configuration any more)` : name,
  )
  return names.length === 0 ? `${own}, and no provider` : `${own}, or ${names.join(', ')}`
}

const consentWords = {
  allowed: 'People may consent for themselves where a permission needs no administrator.',
  verified: 'People may consent for themselves to own applications and to those of verified publishers.',
  administrators: 'Only administrators may consent from now on.',
} as const

const administratorsWords = {
  any: 'Changes of weight ask administrators for nothing more than the server does.',
  secondFactor: 'Changes of weight ask administrators for a second factor from now on.',
} as const

function factorWords(least: Answer<'tenant'>['secondFactor']): string {
  if (least === 'none') return 'The tenant demands a second factor of nobody; the server may.'
  const who = least === 'member' ? 'Everybody' : `Everybody who is ${least} or above`
  return `${who} needs a second factor from now on. Who has none: portcullis user list --without-second-factor`
}

const consentLabels = {
  allowed: 'by people themselves',
  verified: 'by people themselves, to own applications and verified publishers',
  administrators: 'by administrators only',
} as const

function printTenant(terminal: Terminal, output: OutputFormat, tenant: Answer<'tenant'>): void {
  printRecord(terminal, output, tenant, [
    { label: 'name', value: tenant.name },
    { label: 'tenant id', value: tenant.tenantId, variable: 'PORTCULLIS_TENANT_ID' },
    { label: 'state', value: tenant.state },
    { label: 'consent', value: consentLabels[tenant.userConsent] ?? tenant.userConsent },
    { label: 'device codes', value: tenant.deviceCodes ?? 'allowed' },
    { label: 'administrators', value: tenant.administrators === 'secondFactor' ? 'with a second factor' : 'any' },
    { label: 'second factor', value: (tenant.secondFactorRoles ?? []).join(', ') || 'of nobody' },
    { label: 'sign-in', value: waysOf(tenant) },
    { label: 'created', value: tenant.createdAt },
  ])
}

/** Adds `permission list`. */
export function addPermissionCommands(program: Command, terminal: Terminal): void {
  const permission = program.command('permission').description('the catalogue of permissions')
  addConnectionOptions(permission.command('list').description('list the permissions that applications may ask for'))
    .addOption(listOption())
    .action(async (options: PrintOptions) => {
      const value = await managementCalls(await connect(options, terminal)).listPermissions()
      const rows = value.map((each) => [each.id, each.kinds.join(', '), each.resource, each.description])
      printList(terminal, options.output, { value }, { ...catalogue, rows })
    })
}
