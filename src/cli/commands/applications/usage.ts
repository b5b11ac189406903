// `portcullis usage [app]`: what an application has against what it uses, and how often what is called.

import { type Command, Option } from 'commander'
import type { PermissionUseAnswer, UsageAnswer } from '../../../management/permissions/usage-schemas.js'
import type { Answer } from '../../../management/schemas.js'
import { connect } from '../../calls/connection.js'
import { addConnectionOptions, type ConnectionOptions } from '../../calls/connection-options.js'
import type { LocalClient } from '../../calls/local-client.js'
import { managementCalls, requireTenant } from '../../calls/management-calls.js'
import { usageCalls } from '../../calls/usage-calls.js'
import { requireConfirmation } from '../../output/confirmation.js'
import { CommandFailure, exitCodes } from '../../output/exit.js'
import { listOption } from '../../output/list-option.js'
import { type OutputFormat, printList } from '../../output/output.js'
import { printable } from '../../output/table.js'
import type { Terminal } from '../../output/terminal.js'
import { printPkceUse, sayPkceUseOf } from './pkce-use.js'
import { addUsageExport } from './usage-export-command.js'

interface UsageOptions extends ConnectionOptions {
  output: OutputFormat
  tenant?: string
  by?: UsageAnswer['by'] | 'pkce'
  last?: '1h' | '24h'
  route?: string
  from?: string
  to?: string
  removeUnused?: boolean
  yes?: boolean
}

const afterHelp = `
With an application: its permissions and when each was last needed. With --by, --last or --route, or without an
application: calls. --last 1h is by minute and --last 24h by quarter of an hour, unless --by says otherwise.
Who still calls a route: --last 24h --by application --route 'GET /posts'.
With --by pkce: its sign-ins of the last thirty days, with PKCE and without, in all tenants.
Counts are written every few seconds, so the newest calls may be missing. Days are in UTC.
`

const permissionsList = {
  headings: ['PERMISSION', 'KIND', 'RESOURCE', 'CONSENT', 'LAST USED', '30 DAYS', '90 DAYS', 'STATUS'],
  context: ['KIND', 'RESOURCE', 'CONSENT'],
  firstToGo: ['RESOURCE', '90 DAYS', 'KIND', 'CONSENT'],
  empty: 'It has no permissions. See: portcullis app permission add --help',
}

const mostOperationsNamed = 50

/** Adds `usage`. */
export function addUsageCommand(program: Command, terminal: Terminal): void {
  const usageCommand = program.command('usage').description('what applications use of what they were given')
  // So that export has options of the same names.
  addConnectionOptions(usageCommand.enablePositionalOptions())
    .argument('[app]', 'application id, public key or exact name')
    .option('--tenant <tenant>', 'in this tenant, id or exact name (default: the home tenant; for calls: all)')
    .addOption(
      new Option('--by <what>', 'calls by day, time, route, application or both; or sign-ins of one, by pkce').choices([
        ...['day', 'time', 'route', 'application', 'route,application', 'pkce'],
      ]),
    )
    .addOption(new Option('--last <stretch>', 'calls of the last hour, or of the last day').choices(['1h', '24h']))
    .option('--route <id>', "calls of this route, such as 'GET /posts'")
    .option('--from <day>', 'first day of calls, such as 2026-01-31 (default: thirty days)')
    .option('--to <day>', 'last day of calls (default: today)')
    .option('--remove-unused', 'take away what was consented to and is not used')
    .option('--yes', 'do not ask')
    .addOption(listOption())
    .addHelpText('after', afterHelp)
    .action((application: string | undefined, options: UsageOptions) => usage(terminal, application, options))
  addUsageExport(usageCommand, terminal)
}

async function usage(terminal: Terminal, reference: string | undefined, options: UsageOptions): Promise<void> {
  checkOptions(reference, options)
  const client = await connect(options, terminal)
  const calls = managementCalls(client)
  const application = reference === undefined ? undefined : await calls.showApplication(reference)
  if (application !== undefined && options.by === 'pkce') {
    const { applicationId } = application
    return printPkceUse(terminal, client, { applicationId, format: options.output })
  }
  const tenantId = options.tenant === undefined ? undefined : await requireTenant(calls, options.tenant)
  if (application === undefined || isAboutCalls(options)) {
    const { from, to, last, route, by = last === undefined ? 'day' : 'time' } = options
    const query = { applicationId: application?.applicationId, tenantId, route, from, to, last, by }
    return printCalls(terminal, options.output, await usageCalls(client).usage(query))
  }
  await permissionUse(terminal, { reference, application, tenantId, client }, options)
}

interface About {
  /** As it was typed. */
  reference: string | undefined
  application: Answer<'application'>
  tenantId: string | undefined
  client: LocalClient
}

async function permissionUse(terminal: Terminal, about: About, options: UsageOptions): Promise<void> {
  const { reference, application, tenantId, client } = about
  const { applicationId } = application
  const usages = usageCalls(client)
  const use = await usages.permissionUse(applicationId, tenantId)
  if (options.removeUnused !== true) {
    printUse(terminal, options.output, use)
    if (options.output !== 'json') sayOperationUse(terminal, use)
    return sayPkceUseOf(terminal, client, application)
  }
  const { removable } = use
  if (removable.length === 0) return terminal.say('Nothing is known to be unused.')
  const names = removable.map(({ kind, id }) => `${kind}:${id}`).join(', ')
  await requireConfirmation(terminal, `Take ${names} from ${reference}?`, options.yes)
  await usages.removeUnused(applicationId, { permissions: removable })
  printUse(terminal, options.output, await usages.permissionUse(applicationId, tenantId))
  terminal.say(`Removed ${names}. Tokens from before are refused; the next ones have the rest.`)
}

function isAboutCalls({ by, last, route }: UsageOptions): boolean {
  return by !== undefined || last !== undefined || route !== undefined
}

function checkOptions(reference: string | undefined, options: UsageOptions): void {
  const { by, tenant, from, to, last, removeUnused } = options
  const calls = reference === undefined || isAboutCalls(options)
  const hasDays = from !== undefined || to !== undefined
  if (hasDays && last !== undefined) {
    throw new CommandFailure(exitCodes.usage, 'say --last, or --from and --to')
  }
  if (!calls && hasDays) {
    throw new CommandFailure(exitCodes.usage, '--from and --to are about calls: say --by day or --by route')
  }
  if (calls && removeUnused === true) {
    throw new CommandFailure(exitCodes.usage, '--remove-unused needs an application, and no --by')
  }
  if (by !== 'pkce') return
  if (reference === undefined) throw new CommandFailure(exitCodes.usage, '--by pkce needs an application')
  if (hasDays || last !== undefined || options.route !== undefined || tenant !== undefined) {
    throw new CommandFailure(exitCodes.usage, '--by pkce is about all tenants and the last thirty days')
  }
}

function printCalls(terminal: Terminal, format: OutputFormat, answer: UsageAnswer): void {
  const isBoth = answer.by === 'route,application'
  const first = isBoth ? ['ROUTE', 'APPLICATION'] : [answer.by.toUpperCase()]
  const headings = [...first, 'ALLOWED', 'NO PERMISSION', 'LIMITED', 'TOKEN', '4XX', '5XX']
  const rows = answer.value.map(({ key, applicationId, name, allowed, refused, errors }) => [
    ...(isBoth || applicationId === undefined ? [key] : []),
    ...(applicationId === undefined ? [] : [name ?? applicationId]),
    ...[allowed, refused.permission, refused.limit, refused.token, errors.client, errors.server].map(String),
  ])
  printList(terminal, format, answer, { headings, rows, empty: 'No calls were counted in this time.' })
  if (answer.complete === false) {
    terminal.say('The Store cannot be reached: these are the calls that this instance knows of.')
  }
}

function printUse(terminal: Terminal, format: OutputFormat, answer: PermissionUseAnswer): void {
  const rows = answer.value.map((use) => [
    use.id,
    use.kind,
    use.resource,
    use.consent,
    use.lastUsedAt ?? 'never',
    String(use.usesIn30Days),
    String(use.usesIn90Days),
    statusOf(use, answer),
  ])
  printList(terminal, format, answer, { ...permissionsList, rows })
}

function statusOf(use: PermissionUseAnswer['value'][number], { unusedAfterSeconds }: PermissionUseAnswer): string {
  if (use.neededElsewhere) return 'needed in another tenant'
  if (use.consent === 'none') return 'not consented to'
  if (!use.measured) return 'not measured here'
  if (use.unused) return `unused for ${duration(Math.max(unusedAfterSeconds, secondsSince(use.unusedSince)))}`
  return use.lastUsedAt === null ? 'not used yet' : 'in use'
}

function secondsSince(time: string | null): number {
  return time === null ? 0 : (Date.now() - Date.parse(time)) / 1000
}

function duration(seconds: number): string {
  if (seconds >= 2 * 86_400) return `${Math.floor(seconds / 86_400)} days`
  if (seconds >= 2 * 3_600) return `${Math.floor(seconds / 3_600)} hours`
  return seconds >= 120 ? `${Math.floor(seconds / 60)} minutes` : `${Math.floor(seconds)} seconds`
}

/** Which of the tools that its permissions open were used. Nothing where there are none, or at an older server. */
function sayOperationUse(terminal: Terminal, answer: Partial<Pick<PermissionUseAnswer, 'operations'>>): void {
  const { operations = [] } = answer
  if (operations.length === 0) return
  const unused = operations.filter(({ usesIn30Days }) => usesIn30Days === 0)
  const used = operations.length - unused.length
  terminal.say(
    `Of ${operations.length} operations of MCP servers that its permissions open, ${used} were used in 30 days.`,
  )
  if (unused.length === 0) return
  terminal.say('Not used, with the permissions that open them:')
  for (const { id, permissions } of unused.slice(0, mostOperationsNamed))
    terminal.say(`  ${printable(id)}  ${printable(permissions.join(' '))}`)
  if (unused.length > mostOperationsNamed)
    terminal.say(`  and ${unused.length - mostOperationsNamed} more; all of them: -o json`)
}
