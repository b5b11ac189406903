// `portcullis app …`: register applications, give them permissions, secrets and consent, switch them off and on.

import type { Command } from 'commander'
import { Option } from 'commander'
import type { Body } from '../../../management/schemas.js'
import { collected, durationSeconds, wholeNumber } from '../../arguments.js'
import { connect } from '../../calls/connection.js'
import { addConnectionOptions, type ConnectionOptions } from '../../calls/connection-options.js'
import { type ManagementCalls, managementCalls, requireTenant } from '../../calls/management-calls.js'
import { namesOf } from '../../calls/names.js'
import { durationText } from '../../output/duration-text.js'
import { CommandFailure, exitCodes } from '../../output/exit.js'
import { listOption } from '../../output/list-option.js'
import { type OutputFormat, outputOption, printList } from '../../output/output.js'
import { addYesOption, unchanged } from '../../output/stop-confirmation.js'
import type { Terminal } from '../../output/terminal.js'
import { sayIfNameIsShared } from '../../registrations/same-name.js'
import { addApplicationBrandCommands } from '../brands/brand-command.js'
import { addApplicationPlanCommands } from '../plans/application-plan-command.js'
import { addApplyCommand } from './application-apply.js'
import { addDeleteCommands } from './application-delete.js'
import { addApplicationPermissionCommands } from './application-permissions.js'
import { addFederationCommands } from './federation.js'
import { addNewOriginCommands } from './new-origins.js'
import { addOwnerCommands } from './owner.js'
import { permissionArgument } from './permission-argument.js'
import { recommendPkce, sayPkceUseOf } from './pkce-use.js'
import { printApplication, printNewApplication, printNewSecret } from './print-application.js'
import { addRegistrationFlags, type RegistrationFlags, registrationFields } from './registration-flags.js'
import { askingForSecret } from './secret-file.js'

interface CommonOptions extends ConnectionOptions {
  output: OutputFormat
}

interface CreateOptions extends CommonOptions, RegistrationFlags {
  type: 'web' | 'native'
  tenant?: string
  audience?: 'home' | 'any'
  permission?: string[]
  consent?: boolean
  plan?: string
  secretLabel?: string
  secretDays?: number
  secretFile?: string
}

interface SetOptions extends CommonOptions, RegistrationFlags {
  name?: string
}

interface RotateOptions extends CommonOptions {
  overlap: number
  label?: string
  days?: number
  secretFile?: string
}

const listed = {
  headings: ['NAME', 'APPLICATION ID', 'TYPE', 'STATE', 'TENANT', 'TENANT ID'],
  context: ['TENANT', 'TENANT ID'],
  empty: 'There are no applications yet. Register one: portcullis app create NAME',
}

const applicationHelp = 'application id, public key or exact name'
const permissionHelp = 'permission: [application:|delegated:][{resource}/]id (web: application unless said)'

/** Adds `app` and its commands. */
export function addApplicationCommands(program: Command, terminal: Terminal): void {
  const app = program.command('app').description('register and manage applications')
  const open = async (options: ConnectionOptions) => managementCalls(await connect(options, terminal))
  addCreate(app, terminal, open)
  addApplyCommand(app, terminal, open)
  addReading(app, terminal)
  addSet(app, terminal, open)
  addRotate(app, terminal, open)
  addApplicationPermissionCommands(app, terminal, open)
  addFederationCommands(app, terminal)
  addOwnerCommands(app, terminal)
  addApplicationPlanCommands(app, terminal)
  addApplicationBrandCommands(app, terminal)
  addNewOriginCommands(app, terminal)
  addConsent(app, terminal, open)
  addSwitches(app, terminal, open)
  addDeleteCommands(app, terminal)
}

type Open = (options: ConnectionOptions) => Promise<ManagementCalls>

function addCreate(app: Command, terminal: Terminal, open: Open): void {
  const create = app.command('create').description('register an application; its secret is shown only now')
  addRegistrationFlags(addConnectionOptions(create))
    .argument('<name>', 'what people call it')
    .addOption(
      new Option('--type <type>', 'web keeps a secret, native cannot').choices(['web', 'native']).default('web'),
    )
    .option('--tenant <tenant>', 'home tenant, id or name (default: the oldest)')
    .addOption(new Option('--audience <audience>', 'who may install it').choices(['home', 'any']))
    .option('--permission <permission>', `${permissionHelp}, repeatable`, collected)
    .option('--consent', 'grant admin consent to these permissions in the home tenant')
    .option('--plan <plan>', 'what it may use, by name (see: plan list; default: the default plan)')
    .option('--secret-label <label>', 'label of its first secret')
    .option('--secret-days <days>', 'days until that secret ends', wholeNumber)
    .option('--secret-file <file>', 'write the secret to a new file (0600) instead of the output')
    .addOption(outputOption())
    .action(async (name: string, options: CreateOptions) => {
      const calls = await open(options)
      const body = await createBody(name, options, calls, terminal)
      const created = await askingForSecret(terminal, options.secretFile, () => calls.createApplication(body))
      printNewApplication(terminal, options.output, created)
      recommendPkce(terminal, created.answer)
      await sayIfNameIsShared(terminal, calls, created.answer)
    })
}

function addReading(app: Command, terminal: Terminal): void {
  addConnectionOptions(app.command('list').description('list the applications'))
    .option('--deleted', 'those that were deleted and can be restored')
    .addOption(listOption())
    .action(async (options: CommonOptions & { deleted?: boolean }) => {
      const client = await connect(options, terminal)
      if (options.deleted === true) {
        const { printDeleted } = await import('./deleted-application.js')
        return printDeleted(terminal, client, options.output)
      }
      const value = await managementCalls(client).listApplications()
      const { tenant } = await namesOf(client, options.output, { tenants: value.map(({ tenantId }) => tenantId) })
      const rows = value.map((each) => [
        ...[each.name, each.applicationId, each.type, each.state, tenant(each.tenantId), each.tenantId],
      ])
      printList(terminal, options.output, { value }, { ...listed, rows })
    })
  addConnectionOptions(app.command('show').description('show one application, without its secrets'))
    .argument('<app>', applicationHelp)
    .addOption(outputOption())
    .action(async (application: string, options: CommonOptions) => {
      const client = await connect(options, terminal)
      const answer = await managementCalls(client).showApplication(application)
      printApplication(terminal, options.output, answer)
      await sayPkceUseOf(terminal, client, answer)
    })
}

function addSet(app: Command, terminal: Terminal, open: Open): void {
  const set = app.command('set').alias('change').description('change it; a list that is given replaces the whole list')
  addRegistrationFlags(addYesOption(addConnectionOptions(set)), true)
    .argument('<app>', applicationHelp)
    .option('--name <name>', 'what people call it')
    .addOption(outputOption())
    .action(async (application: string, { name, ...options }: SetOptions) => {
      const calls = await open(options)
      const fields = await registrationFields(options, terminal)
      const body = { ...fields, ...(name === undefined ? {} : { name }) }
      if (Object.keys(body).length === 0) throw new CommandFailure(exitCodes.usage, 'say what to change: see --help')
      printApplication(terminal, options.output, await calls.changeApplication(application, body))
    })
}

function addRotate(app: Command, terminal: Terminal, open: Open): void {
  addYesOption(addConnectionOptions(app.command('rotate').description('give it a new secret; it is shown only now')))
    .argument('<app>', applicationHelp)
    .option(
      '--overlap <duration>',
      'how long the old secrets live on; 0 ends them and their tokens',
      durationSeconds,
      0,
    )
    .option('--label <label>', 'label of the new secret')
    .option('--days <days>', 'days until the new secret ends', wholeNumber)
    .option('--secret-file <file>', 'write the secret to a new file (0600) instead of the output')
    .addOption(outputOption())
    .action(async (application: string, options: RotateOptions) => {
      const calls = await open(options)
      const body = {
        rotate: true,
        overlapSeconds: options.overlap,
        ...(options.label === undefined ? {} : { label: options.label }),
        ...(options.days === undefined ? {} : { expiresInDays: options.days }),
      }
      const added = await askingForSecret(terminal, options.secretFile, () => calls.addSecret(application, body))
      printNewSecret(terminal, options.output, added)
      terminal.say(endOfOlderSecrets(options.overlap, Date.now()))
    })
}

function addConsent(app: Command, terminal: Terminal, open: Open): void {
  addYesOption(
    addConnectionOptions(app.command('permit').description('say which permissions it may ask for, replacing the list')),
  )
    .argument('<app>', applicationHelp)
    .argument('[permissions...]', permissionHelp)
    .action(async (application: string, permissions: string[], options: ConnectionOptions) => {
      const calls = await open(options)
      const { type, applicationId } = await calls.showApplication(application)
      await calls.configurePermissions(application, { permissions: permissions.map(permissionOf(type)) })
      terminal.say(
        `Permissions configured: ${permissions.length}. Grant consent with: portcullis app consent ${applicationId}`,
      )
    })
  addConnectionOptions(app.command('consent').description('grant admin consent'))
    .argument('<app>', applicationHelp)
    .argument('[permissions...]', `${permissionHelp} (default: all that are configured)`)
    .option('--tenant <tenant>', 'tenant, id or name (default: its home tenant)')
    .action(async (application: string, permissions: string[], options: ConnectionOptions & { tenant?: string }) => {
      const calls = await open(options)
      const { type } = await calls.showApplication(application)
      await calls.grantConsent(application, {
        ...(options.tenant === undefined ? {} : { tenantId: await requireTenant(calls, options.tenant) }),
        permissions: permissions.length === 0 ? 'all' : permissions.map(permissionOf(type)),
      })
      terminal.say('Consent granted.')
    })
}

function addSwitches(app: Command, terminal: Terminal, open: Open): void {
  const add = (verb: string, state: 'enabled' | 'disabled', description: string) =>
    (state === 'disabled' ? addYesOption : unchanged)(addConnectionOptions(app.command(verb).description(description)))
      .argument('<app>', applicationHelp)
      .action(async (application: string, options: ConnectionOptions) => {
        await (await open(options)).changeApplication(application, { state })
        terminal.say(`The application is ${state}.`)
      })
  add('disable', 'disabled', 'refuse it new tokens and refuse the ones it has')
  add('enable', 'enabled', 'let a disabled application in again')
}

function endOfOlderSecrets(overlapSeconds: number, nowMs: number): string {
  if (overlapSeconds === 0) return 'The older secrets and the tokens got with them have ended.'
  const end = new Date(nowMs + overlapSeconds * 1000).toISOString().replace(/\.\d+Z$/, 'Z')
  return `The older secrets end in ${durationText(overlapSeconds)}, at ${end}; one that ends sooner anyway keeps its end.`
}

async function createBody(
  name: string,
  options: CreateOptions,
  calls: ManagementCalls,
  terminal: Terminal,
): Promise<Body<'createApplication'>> {
  const { jwks, ...fields } = await registrationFields(options, terminal)
  return {
    name,
    type: options.type,
    ...(options.tenant === undefined ? {} : { tenantId: await requireTenant(calls, options.tenant) }),
    ...(options.audience === undefined ? {} : { audience: options.audience }),
    ...(jwks === null || jwks === undefined ? fields : { ...fields, jwks }),
    ...(options.permission === undefined ? {} : { permissions: options.permission.map(permissionOf(options.type)) }),
    ...(options.consent === undefined ? {} : { consent: options.consent }),
    ...(options.plan === undefined ? {} : { plan: options.plan }),
    ...(options.secretLabel === undefined ? {} : { secretLabel: options.secretLabel }),
    ...(options.secretDays === undefined ? {} : { secretExpiresInDays: options.secretDays }),
  }
}

/**
 * A web application asks for application permissions unless the argument says otherwise, a native one for delegated.
 */
function permissionOf(type: 'web' | 'native') {
  return (argument: string) => permissionArgument(argument, type === 'web' ? 'application' : 'delegated')
}
