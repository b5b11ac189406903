// `portcullis app permission …`: what an application may ask for, one permission at a time.

import type { Command } from 'commander'
import type { PermissionRef } from '../../../management/registrations/catalogue.js'
import type { Answer } from '../../../management/schemas.js'
import { connect } from '../../calls/connection.js'
import { addConnectionOptions, type ConnectionOptions } from '../../calls/connection-options.js'
import { type ManagementCalls, managementCalls } from '../../calls/management-calls.js'
import { namesOf } from '../../calls/names.js'
import { CommandFailure, exitCodes } from '../../output/exit.js'
import { listOption } from '../../output/list-option.js'
import { type OutputFormat, printList } from '../../output/output.js'
import { addYesOption } from '../../output/stop-confirmation.js'
import type { Terminal } from '../../output/terminal.js'
import { permissionArgument } from './permission-argument.js'

type Open = (options: ConnectionOptions) => Promise<ManagementCalls>

const listed = (application: string) => ({
  headings: ['ID', 'KIND', 'RESOURCE', 'CONSENTED IN', 'TENANT IDS'],
  context: ['TENANT IDS'],
  firstToGo: ['TENANT IDS', 'RESOURCE'],
  empty: `It may ask for nothing yet. See: portcullis app permission add ${application} PERMISSION`,
})

const requests = { headings: ['REQUEST', 'STATE', 'PERMISSIONS', 'SINCE', 'REASON'], firstToGo: ['REASON'] }
const noRequests = (application: string) =>
  `Nothing was requested for it. See: portcullis app permission request ${application} PERMISSION`
const requestHelp = `
Sign in first (portcullis login): administrators see who asks. They decide in the portal under Consents, or by
portcullis consent approve.
`

const applicationHelp = 'application id, public key or exact name'
const permissionHelp = 'permission: [application:|delegated:][{resource}/]id (web: application unless said)'

/** Adds `app permission` and its commands. */
export function addApplicationPermissionCommands(app: Command, terminal: Terminal, open: Open): void {
  const permission = app.command('permission').description('what it may ask for: list, add, remove, request, withdraw')
  addConnectionOptions(permission.command('list').description('list its permissions, and where they are consented to'))
    .argument('<app>', applicationHelp)
    .addOption(listOption())
    .action(async (application: string, options: ConnectionOptions & { output: OutputFormat }) => {
      const client = await connect(options, terminal)
      const value = listOf(await managementCalls(client).showApplication(application))
      const { tenant } = await namesOf(client, options.output, {
        tenants: value.flatMap(({ consentedIn }) => consentedIn),
      })
      const rows = value.map((one) => [
        ...[one.id, one.kind, one.resource, one.consentedIn.map(tenant).join(', ') || 'nobody consented'],
        one.consentedIn.join(' '),
      ])
      printList(terminal, options.output, { value }, { ...listed(application), rows })
    })
  addAdding(permission, terminal, open)
  addRemoving(permission, terminal, open)
  addRequesting(permission, terminal, open)
}

function addAdding(permission: Command, terminal: Terminal, open: Open): void {
  addConnectionOptions(permission.command('add').description('let it ask for more; what it has stays'))
    .argument('<app>', applicationHelp)
    .argument('<permissions...>', permissionHelp)
    .option('--consent', 'grant admin consent to them in its home tenant')
    .action(async (application: string, requested: string[], options: ConnectionOptions & { consent?: boolean }) => {
      const calls = await open(options)
      const { now, tag, named } = await read(calls, application, requested)
      const added = named.filter((one) => !has(now.permissions, one))
      if (added.length > 0) {
        await calls.configurePermissions(
          now.applicationId,
          { permissions: [...now.permissions, ...added] },
          {
            unlessChangedFrom: tag,
          },
        )
      }
      if (options.consent === true) await calls.grantConsent(now.applicationId, { permissions: named })
      const hint = options.consent === true ? 'They are consented to.' : 'See: portcullis consent grant'
      terminal.say(`Permissions added: ${added.length} of ${named.length}. ${hint}`)
    })
}

function addRemoving(permission: Command, terminal: Terminal, open: Open): void {
  addYesOption(
    addConnectionOptions(
      permission.command('remove').description('take away; consents to them and tokens end at once'),
    ),
  )
    .argument('<app>', applicationHelp)
    .argument('<permissions...>', permissionHelp)
    .action(async (application: string, requested: string[], options: ConnectionOptions) => {
      const calls = await open(options)
      const { application: now, tag } = await calls.readApplication(application)
      const named = requested.map((argument) => configured(now, argument))
      const left = now.permissions.filter((one) => !has(named, one))
      await calls.configurePermissions(now.applicationId, { permissions: left }, { unlessChangedFrom: tag })
      terminal.say(`Permissions removed: ${now.permissions.length - left.length}. It has ${left.length} left.`)
    })
}

function addRequesting(permission: Command, terminal: Terminal, open: Open): void {
  addConnectionOptions(
    permission.command('request').description('add permissions, and request the consent of administrators to them'),
  )
    .argument('<app>', applicationHelp)
    .argument('<permissions...>', permissionHelp)
    .option('--reason <text>', 'why it needs them, for the administrators')
    .addHelpText('after', requestHelp)
    .action(async (application: string, wanted: string[], options: ConnectionOptions & { reason?: string }) => {
      const calls = await open(options)
      const { now, named } = await read(calls, application, wanted)
      const { reason } = options
      const body = { permissions: named, ...(reason === undefined ? {} : { reason }) }
      const { added, request } = await calls.requestAccess(now.applicationId, body)
      const said =
        request === null
          ? 'Nothing of it waits for an administrator.'
          : `Administrators decide about ${request.permissions.length}: request ${request.requestId}.`
      terminal.say(`Permissions added: ${added.length} of ${named.length}. ${said}`)
    })
  addConnectionOptions(permission.command('requests').description('what was requested for it, and what became of it'))
    .argument('<app>', applicationHelp)
    .addOption(listOption())
    .action(async (application: string, options: ConnectionOptions & { output: OutputFormat }) => {
      const calls = await open(options)
      const { applicationId } = await calls.showApplication(application)
      const value = await calls.listAccessRequests(applicationId)
      const rows = value.map((one) => [
        ...[one.requestId, one.state, one.permissions.map(({ kind, id }) => `${kind}:${id}`).join(' ')],
        ...[one.createdAt, one.reason ?? ''],
      ])
      printList(terminal, options.output, { value }, { ...requests, empty: noRequests(application), rows })
    })
  addConnectionOptions(permission.command('withdraw').description('take your own request back while it waits'))
    .argument('<app>', applicationHelp)
    .action(async (application: string, options: ConnectionOptions) => {
      const calls = await open(options)
      const { applicationId } = await calls.showApplication(application)
      const all = await calls.listAccessRequests(applicationId)
      const waiting = all.find(({ mine, state }) => mine && state === 'pending')
      if (waiting === undefined) {
        const message = `no request of yours waits. See: portcullis app permission requests ${application}`
        throw new CommandFailure(exitCodes.notFound, message)
      }
      await calls.withdrawAccessRequest(applicationId, waiting.requestId)
      terminal.say('The request is taken back. Its permissions stay listed; nobody decides about them now.')
    })
}

async function read(calls: ManagementCalls, application: string, requested: readonly string[]) {
  const { readCatalogue } = await import('../../../management/registrations/catalogue.js')
  const { application: now, tag } = await calls.readApplication(application)
  const catalogue = await readCatalogue(calls)
  const kind = now.type === 'web' ? 'application' : 'delegated'
  const named = requested.map((argument) => catalogue.require(argument, kind))
  return { now, tag, named: named.filter((one, at) => named.findIndex((other) => same(one, other)) === at) }
}

/** The configured permission that the argument means; it need not be in the catalogue any more. */
function configured(now: Answer<'application'>, argument: string): PermissionRef {
  const requested = permissionArgument(argument, now.type === 'web' ? 'application' : 'delegated')
  const fits = (one: PermissionRef) =>
    one.kind === requested.kind &&
    one.id === requested.id &&
    (requested.resource === undefined || one.resource === requested.resource)
  const [found, another] = now.permissions.filter(fits)
  if (found === undefined) {
    throw new CommandFailure(exitCodes.notFound, `the application does not have ${requested.kind}:${requested.id}`)
  }
  if (another !== undefined) {
    throw new CommandFailure(
      exitCodes.usage,
      `it has ${requested.id} of several resources: write {resource}/${requested.id}`,
    )
  }
  return found
}

function listOf({ permissions, consents }: Answer<'application'>) {
  return permissions.map((permission) => ({
    ...permission,
    consentedIn: consents.filter((one) => has(one.permissions, permission)).map(({ tenantId }) => tenantId),
  }))
}

function has(permissions: readonly PermissionRef[], one: PermissionRef): boolean {
  return permissions.some((other) => same(one, other))
}

function same(one: PermissionRef, other: PermissionRef): boolean {
  return one.kind === other.kind && one.resource === other.resource && one.id === other.id
}
