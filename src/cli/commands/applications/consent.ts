// `portcullis consent …`: what people and administrators allowed applications, and what people ask administrators for.

import { type Command, Option } from 'commander'
import { connect } from '../../calls/connection.js'
import { addConnectionOptions, type ConnectionOptions } from '../../calls/connection-options.js'
import { type ConsentCalls, consentCalls } from '../../calls/consent-calls.js'
import type { LocalClient } from '../../calls/local-client.js'
import { type ManagementCalls, managementCalls, requireTenant } from '../../calls/management-calls.js'
import { type Names, namesOf } from '../../calls/names.js'
import { peopleCalls } from '../../calls/people-calls.js'
import { CommandFailure, exitCodes } from '../../output/exit.js'
import { listOption } from '../../output/list-option.js'
import { type OutputFormat, printList } from '../../output/output.js'
import { addYesOption } from '../../output/stop-confirmation.js'
import type { Terminal } from '../../output/terminal.js'
import { permissionArgument } from './permission-argument.js'

interface Options extends ConnectionOptions {
  output: OutputFormat
  app?: string
  tenant?: string
  user?: string
  state?: string
  own?: boolean
}

interface Open {
  client: LocalClient
  calls: ConsentCalls
  management: ManagementCalls
  /** The id of a user named by id or address. */
  userId(user: string | undefined): Promise<string | undefined>
}

const consents = {
  headings: ['APPLICATION', 'USER', 'PERMISSION', 'SINCE', 'TENANT', 'APPLICATION ID', 'USER ID', 'TENANT ID'],
  context: ['APPLICATION', 'TENANT', 'APPLICATION ID', 'USER ID', 'TENANT ID'],
  empty: 'Nobody has consented. See: portcullis consent grant --help',
}

const requests = {
  headings: [
    ...['REQUEST', 'STATE', 'APPLICATION', 'BY', 'PERMISSIONS', 'REASON'],
    ...['TENANT', 'APPLICATION ID', 'USER ID', 'TENANT ID'],
  ],
  context: ['STATE', 'TENANT', 'APPLICATION ID', 'USER ID', 'TENANT ID'],
  empty: 'Nobody waits for an administrator.',
}

async function namesFor(
  client: LocalClient,
  value: readonly { applicationId: string; tenantId: string; userId: string | null }[],
  { output }: Options,
): Promise<Names> {
  return namesOf(client, output, {
    applications: value.map(({ applicationId }) => applicationId),
    tenants: value.map(({ tenantId }) => tenantId),
    users: value.map(({ userId }) => userId),
  })
}

const applicationHelp = 'application id, public key or exact name'
const permissionHelp = 'permission: [application:|delegated:][{resource}/]id (web: application unless said)'

/** Adds `consent` and its commands. */
export function addConsentCommands(program: Command, terminal: Terminal): void {
  const consent = program.command('consent').description('grant, withdraw and list consent, and decide requests for it')
  const open = async (options: ConnectionOptions): Promise<Open> => {
    const client = await connect(options, terminal)
    const userId = async (user: string | undefined) =>
      user === undefined ? undefined : (await peopleCalls(client).showUser(user)).userId
    return { client, calls: consentCalls(client), management: managementCalls(client), userId }
  }
  addChanges(consent, terminal, open)
  addList(consent, terminal, open)
  addRequests(consent, terminal, open)
}

type Opener = (options: ConnectionOptions) => Promise<Open>

function addChanges(consent: Command, terminal: Terminal, open: Opener): void {
  addConnectionOptions(consent.command('grant').description('consent for everybody in a tenant'))
    .argument('<app>', applicationHelp)
    .argument('[permissions...]', `${permissionHelp} (default: all that are configured)`)
    .option('--tenant <tenant>', 'tenant, id or name (default: its home tenant)')
    .action(async (app: string, permissions: string[], options: Options) => {
      const opened = await open(options)
      await opened.calls.grant(await bodyOf(opened, app, permissions, options))
      terminal.say('Consent granted.')
    })
  addYesOption(
    addConnectionOptions(consent.command('revoke').description('withdraw consent; what rests on it ends at once')),
  )
    .argument('<app>', applicationHelp)
    .argument('[permissions...]', `${permissionHelp} (default: all)`)
    .option('--tenant <tenant>', 'tenant, id or name (default: its home tenant)')
    .option('--user <user>', 'only what this person allowed, delegated unless said: id or e-mail address')
    .action(async (app: string, permissions: string[], options: Options) => {
      const opened = await open(options)
      const userId = await opened.userId(options.user)
      const body = await bodyOf(opened, app, permissions, options)
      const ended = await opened.calls.withdraw({ ...body, ...(userId === undefined ? {} : { userId }) })
      terminal.say(`Withdrawn. Permissions: ${ended.permissions}. Grants ended: ${ended.grants}.`)
    })
}

function addList(consent: Command, terminal: Terminal, open: Opener): void {
  addConnectionOptions(consent.command('list').description('who allowed what; say for which app, tenant or user'))
    .option('--app <app>', applicationHelp)
    .option('--tenant <tenant>', 'tenant, id or name')
    .option('--user <user>', 'id or e-mail address')
    .addOption(listOption())
    .action(async (options: Options) => {
      if (options.app === undefined && options.tenant === undefined && options.user === undefined) {
        throw new CommandFailure(exitCodes.usage, 'say for which --app, --tenant or --user')
      }
      const { calls, client, management, userId } = await open(options)
      const value = await calls.list({
        applicationId: options.app,
        tenantId: await tenantOf(management, options),
        userId: await userId(options.user),
      })
      const names = await namesFor(client, value, options)
      const rows = value.flatMap((each) =>
        each.permissions.map(({ kind, resource, id, grantedAt }) => [
          ...[names.application(each.applicationId), each.userId === null ? 'everybody' : names.user(each.userId)],
          ...[`${kind}:${resource}/${id}`, grantedAt, names.tenant(each.tenantId)],
          ...[each.applicationId, each.userId ?? '', each.tenantId],
        ]),
      )
      printList(terminal, options.output, { value }, { ...consents, rows })
    })
}

function addRequests(consent: Command, terminal: Terminal, open: Opener): void {
  addConnectionOptions(consent.command('requests').description('what people ask administrators to consent to'))
    .option('--tenant <tenant>', 'tenant, id or name')
    .option('--own', 'only your own, about whichever application')
    .addOption(new Option('--state <state>', 'only these').choices(['pending', 'approved', 'declined']))
    .addOption(listOption())
    .action(async (options: Options) => {
      const { calls, client, management } = await open(options)
      const value =
        options.own === true
          ? (await calls.ownRequests()).filter(({ state }) => options.state === undefined || state === options.state)
          : await calls.requests({ state: options.state, tenantId: await tenantOf(management, options) })
      const asking = value.map((each) => ({ ...each, userId: each.requestedBy }))
      const names = await namesFor(client, asking, options)
      const rows = value.map((each) => [
        ...[each.requestId, each.state, names.application(each.applicationId), names.user(each.requestedBy)],
        ...[each.permissions.map(({ kind, id }) => `${kind}:${id}`).join(' '), each.reason],
        ...[names.tenant(each.tenantId), each.applicationId, each.requestedBy, each.tenantId],
      ])
      printList(terminal, options.output, { value }, { ...requests, rows })
    })
  const addDecision = (verb: 'approve' | 'decline', description: string, done: string) =>
    addConnectionOptions(consent.command(verb).description(description))
      .argument('<request>', 'id of the request (see: consent requests)')
      .action(async (requestId: string, options: Options) => {
        await (await open(options)).calls.decide(requestId, verb)
        terminal.say(done)
      })
  addDecision('approve', 'consent to what a request asks for', 'Approved: the consent is granted.')
  addDecision('decline', 'decline a request', 'Declined: nothing was granted.')
  addConnectionOptions(consent.command('take-back').description('take your own request back while it waits'))
    .argument('<request>', 'id of the request (see: consent requests --own)')
    .action(async (requestId: string, options: Options) => {
      await (await open(options)).calls.takeBack(requestId)
      terminal.say('Taken back. Nobody decides about it now.')
    })
}

async function bodyOf({ management }: Open, app: string, permissions: readonly string[], options: Options) {
  const { type, applicationId } = await applicationOf(management, app)
  const kind = type === 'native' || options.user !== undefined ? 'delegated' : 'application'
  const tenantId = await tenantOf(management, options)
  return {
    applicationId,
    ...(tenantId === undefined ? {} : { tenantId }),
    permissions: permissions.length === 0 ? ('all' as const) : permissions.map((one) => permissionArgument(one, kind)),
  }
}

/**
 * Another tenant's application, and the command line's own, cannot be shown; by its identifier it can be consented to.
 */
async function applicationOf(
  management: ManagementCalls,
  app: string,
): Promise<{ type?: string; applicationId: string }> {
  return await management.showApplication(app).catch(async (error: unknown) => {
    const [{ parseClientIdentifier }, { commandLineClient }] = await Promise.all([
      import('../../../oauth/secrets/client-identifier.js'),
      import('../../../oauth/command-line-client.js'),
    ])
    const isAbsent = error instanceof CommandFailure && error.exitCode === exitCodes.notFound
    if (!isAbsent || parseClientIdentifier(app) === undefined) throw error
    return { applicationId: app, ...(app === commandLineClient.applicationId ? { type: 'native' } : {}) }
  })
}

async function tenantOf(management: ManagementCalls, { tenant }: Options): Promise<string | undefined> {
  return tenant === undefined ? undefined : requireTenant(management, tenant)
}
