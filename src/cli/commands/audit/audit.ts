// `portcullis audit …`: what was done, whether it still says so, and all of it for somebody else's archive.

import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { VerificationAnswer } from '../../../management/audit/audit-schemas.js'
import { wholeNumber } from '../../arguments.js'
import {
  type ActivityEntry,
  type AuditEvent,
  type AuditFilter,
  auditPages,
  signedCheckpoint,
  verifyOnServer,
} from '../../calls/audit-calls.js'
import { connect } from '../../calls/connection.js'
import { addConnectionOptions, type ConnectionOptions } from '../../calls/connection-options.js'
import type { LocalClient } from '../../calls/local-client.js'
import { managementCalls, requireTenant } from '../../calls/management-calls.js'
import { peopleCalls } from '../../calls/people-calls.js'
import { CommandFailure, exitCodes } from '../../output/exit.js'
import { jsonLine } from '../../output/json-line.js'
import { listOption } from '../../output/list-option.js'
import { type OutputFormat, outputOption, printRecord } from '../../output/output.js'
import type { Terminal } from '../../output/terminal.js'
import { verifyFile } from './archive.js'
import { listActivity, listEvents } from './event-lists.js'
import { type Problem, sayProblem } from './problems.js'
import { addPruneCommand } from './prune.js'

interface FilterOptions extends ConnectionOptions {
  tenant?: string
  app?: string
  user?: string
  event?: string
  person?: string
  appName?: string
  search?: string
  from?: string
  to?: string
}

interface ListOptions extends FilterOptions {
  limit: number
  output: OutputFormat
}

interface VerifyOptions extends ConnectionOptions {
  checkpoints?: string
  output: OutputFormat
}

const largestPage = 200
/** As many lines as the server takes at once. */
const linesAtOnce = 4_000

const exportHelp = `
Without a filter, an operator's export ends with a signed checkpoint, and audit verify FILE verifies it without a server.
`

const verifyHelp = `
Ends with 0 when the ledger is clean and with 1 when it is not, and says where. The running server's own file of
checkpoints is compared too; with --checkpoints a copy that was kept elsewhere. Without a checkpoint from before, rows
that were cut off the end by somebody who also set the database's head back cannot be missed.
`

/** Adds `audit` and its commands. */
export function addAuditCommands(program: Command, terminal: Terminal): void {
  const audit = program.command('audit').description('read, verify and export the ledger')
  const page = async <Entry>(list: 'auditEvents' | 'activity', options: ListOptions) => {
    const client = await connect(options, terminal)
    return { client, value: await take<Entry>(client, list, options) }
  }
  addFilters(audit.command('list').description('list what was done, newest first'))
    .option('-n, --limit <number>', 'how many at most', wholeNumber, 50)
    .addOption(listOption())
    .action(async (options: ListOptions) =>
      listEvents(await page<AuditEvent>('auditEvents', options), options, terminal),
    )
  addFilters(audit.command('activity').description('list what failed or was refused, newest first'))
    .option('-n, --limit <number>', 'how many at most', wholeNumber, 50)
    .addOption(listOption())
    .action(async (options: ListOptions) =>
      listActivity(await page<ActivityEntry>('activity', options), options, terminal),
    )
  addConnectionOptions(audit.command('verify').description('find changed, added, removed, moved and cut-off rows'))
    .argument('[file]', "a file of audit export, verified here with the configuration's master keys, without a server")
    .option('--checkpoints <file>', "lines of checkpoints to compare with, instead of the server's own file")
    .addOption(outputOption(['table', 'json']))
    .addHelpText('after', verifyHelp)
    .action(async (file: string | undefined, options: VerifyOptions) => {
      if (file === undefined) return verify(options, terminal)
      if (options.checkpoints === undefined) return verifyFile(file, options, terminal)
      throw new CommandFailure(exitCodes.usage, 'a file has its own checkpoints: leave out --checkpoints')
    })
  addFilters(audit.command('export').description('print events as JSON lines with their macs, oldest first'))
    .addHelpText('after', exportHelp)
    .action(async (options: FilterOptions) => exportEvents(options, terminal))
  addPruneCommand(audit, terminal)
}

async function exportEvents(options: FilterOptions, terminal: Terminal): Promise<void> {
  const client = await connect(options, terminal)
  const filter = { ...(await filterOf(client, options)), order: 'oldest' as const }
  const isWhole = Object.values(filter).filter((value) => value !== undefined).length === 1
  // Before the rows: those that are written meanwhile are not of this export.
  const checkpoint = isWhole ? await signedCheckpoint(client) : undefined
  const last = checkpoint?.count ?? Number.POSITIVE_INFINITY
  for await (const page of auditPages<AuditEvent>(client, 'auditEvents', filter, largestPage)) {
    const rows = page.filter(({ position }) => position <= last)
    terminal.out(rows.map(jsonLine).join(''))
    if (rows.length < page.length) break
  }
  if (checkpoint !== undefined) terminal.out(jsonLine(checkpoint))
}

function addFilters(command: Command): Command {
  return addConnectionOptions(command)
    .option('--tenant <tenant>', 'only of this tenant: tenant id or exact name')
    .option('--app <application>', 'only of this application: application id, public key or exact name')
    .option('--user <user>', 'only of this user: user id, or e-mail address while there is the account')
    .option('--person <part>', 'only of people whose name or address has this part')
    .option('--app-name <part>', 'only of applications whose name has this part')
    .option('--search <text>', 'only rows in which this text stands, two letters at least')
    .option('--event <event>', 'only this event, such as secret.created')
    .option('--from <time>', 'from this time on, such as 2026-01-31, 2026-01-31T09:30:00Z, 90min or 7d (ago)')
    .option('--to <time>', 'before this time')
}

async function filterOf(client: LocalClient, options: FilterOptions): Promise<AuditFilter> {
  const calls = managementCalls(client)
  const { tenant, app, user, event, person, appName, search, from, to } = options
  const nowMs = Date.now()
  return {
    tenantId: tenant === undefined ? undefined : await requireTenant(calls, tenant),
    applicationId: app === undefined ? undefined : (await calls.showApplication(app)).applicationId,
    // The ledger knows ids, also of accounts that are gone.
    userId: user?.includes('@') === true ? (await peopleCalls(client).showUser(user)).userId : user,
    event,
    person,
    application: appName,
    search,
    from: timeOf(from, nowMs),
    to: timeOf(to, nowMs),
  }
}

/** A length of time is as long ago; the server reads everything else. */
function timeOf(text: string | undefined, nowMs: number): string | undefined {
  const [, count = '', unit = ''] = /^(\d{1,5})(min|h|d)$/.exec(text ?? '') ?? []
  const length = { min: 60_000, h: 3_600_000, d: 86_400_000 }[unit]
  return length === undefined ? text : new Date(nowMs - Number(count) * length).toISOString()
}

async function take<Entry>(client: LocalClient, list: 'auditEvents' | 'activity', options: ListOptions) {
  const top = Math.min(options.limit, largestPage)
  const value: Entry[] = []
  for await (const page of auditPages<Entry>(client, list, await filterOf(client, options), top)) {
    value.push(...page)
    if (value.length >= options.limit) break
  }
  return value.slice(0, options.limit)
}

async function verify(options: VerifyOptions, terminal: Terminal): Promise<void> {
  const client = await connect(options, terminal)
  const answers = await verifications(client, options, terminal)
  const last = answers.at(-1) as VerificationAnswer
  const problems = distinct(answers.flatMap((answer) => answer.problems))
  const whole = { ...last, problems, clean: problems.length === 0, checkpoints: sum(answers) }
  printRecord(terminal, options.output, whole, [
    { label: 'ledger', value: whole.clean ? 'clean' : 'TAMPERED WITH' },
    { label: 'rows', value: String(whole.count) },
    ...(whole.start === 0 ? [] : [{ label: 'removed', value: `1 to ${whole.start}, by order` }]),
    { label: 'head', value: whole.head },
    { label: 'checkpoints', value: String(whole.checkpoints) },
    ...(options.output === 'json' ? [] : problems.map((problem) => ({ label: 'problem', value: sayProblem(problem) }))),
  ])
  if (!whole.clean) throw new CommandFailure(exitCodes.failed, 'the audit log has been tampered with')
}

/** One for each part of the file that the server takes at once. */
async function verifications(client: LocalClient, options: VerifyOptions, terminal: Terminal) {
  if (options.checkpoints === undefined) return [await verifyOnServer(client)]
  const text = await readFile(resolve(terminal.cwd, options.checkpoints), 'utf8').catch((error: unknown) => {
    // Not 1: that says of the ledger that it was tampered with.
    const why = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : ''
    throw new CommandFailure(exitCodes.usage, `${options.checkpoints} cannot be read${why}`)
  })
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  if (lines.length === 0) throw new CommandFailure(exitCodes.usage, `${options.checkpoints} has no checkpoints`)
  const answers: VerificationAnswer[] = []
  for (let from = 0; from < lines.length; from += linesAtOnce) {
    const answer = await verifyOnServer(client, lines.slice(from, from + linesAtOnce))
    const problems = answer.problems.map((one) => (one.line === undefined ? one : { ...one, line: one.line + from }))
    answers.push({ ...answer, problems })
  }
  return answers
}

function distinct(problems: readonly Problem[]): Problem[] {
  return [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()]
}

function sum(answers: readonly VerificationAnswer[]): number {
  return answers.reduce((total, { checkpoints }) => total + checkpoints, 0)
}
