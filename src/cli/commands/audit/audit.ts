// `portcullis audit …`: what was done, whether it still says so, and all of it for somebody else's archive.

import type { Command } from 'commander'
import { wholeNumber } from '../../arguments.js'
import {
  type ActivityEntry,
  type AuditEvent,
  type AuditFilter,
  auditPages,
  signedCheckpoint,
} from '../../calls/audit-calls.js'
import { connect } from '../../calls/connection.js'
import { addConnectionOptions, type ConnectionOptions } from '../../calls/connection-options.js'
import type { LocalClient } from '../../calls/local-client.js'
import { managementCalls, requireTenant } from '../../calls/management-calls.js'
import { peopleCalls } from '../../calls/people-calls.js'
import { CommandFailure, exitCodes } from '../../output/exit.js'
import { jsonLine } from '../../output/json-line.js'
import { listOption } from '../../output/list-option.js'
import { type OutputFormat, outputOption } from '../../output/output.js'
import type { Terminal } from '../../output/terminal.js'
import { requireEventName } from '../server/event.js'
import { verifyFile } from './archive.js'
import { listActivity, listEvents } from './event-lists.js'
import { addPruneCommand } from './prune.js'
import type { VerifyOptions } from './verify.js'

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

const largestPage = 200

const exportHelp = `
Without a filter, an operator's export ends with a signed checkpoint, and audit verify FILE verifies it without a server.
`

const verifyHelp = `
Ends with 0 when the ledger is clean and with 1 when it is not, and says where. The running server's own file of
checkpoints is compared too; with --checkpoints a copy that was kept elsewhere. Without a checkpoint from before, rows
that were cut off the end by somebody who also set the database's head back cannot be missed.

A long ledger is verified in parts. With --resume a run that was broken off is continued by the
next one, and the file is removed at the end; rows that were verified before are not read again.
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
    .option('--part <rows>', 'how many rows the server verifies at a time', wholeNumber, 500_000)
    .option('--resume <file>', 'keep in this file how far it came, and go on from there')
    .addOption(outputOption(['table', 'json']))
    .addHelpText('after', verifyHelp)
    .action(async (file: string | undefined, options: VerifyOptions) => {
      const { checkpoints, resume } = options
      if (file !== undefined && checkpoints !== undefined) {
        throw new CommandFailure(exitCodes.usage, 'a file has its own checkpoints: leave out --checkpoints')
      }
      if (resume !== undefined && (file ?? checkpoints) !== undefined) {
        throw new CommandFailure(exitCodes.usage, "--resume is for the server's ledger with its own checkpoints")
      }
      if (file !== undefined) return verifyFile(file, options, terminal)
      // What checks the file of --resume takes a while to load.
      const { verifyLedgerOfServer } = await import('./verify.js')
      return verifyLedgerOfServer(options, terminal)
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
  if (event !== undefined) await requireEventName(client, event)
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

/** A length of time is as long ago; the server reads dates. Throws CommandFailure for what is neither. */
function timeOf(text: string | undefined, nowMs: number): string | undefined {
  const [, count = '', unit = ''] = /^(\d{1,5})(min|h|d)$/.exec(text ?? '') ?? []
  const length = { min: 60_000, h: 3_600_000, d: 86_400_000 }[unit]
  if (length !== undefined) return new Date(nowMs - Number(count) * length).toISOString()
  if (text === undefined || /^\d{4}-/.test(text)) return text
  const message = `${JSON.stringify(text)} is no time: write 2026-01-31, 2026-01-31T09:30:00Z, 90min or 7d (ago)`
  throw new CommandFailure(exitCodes.usage, message)
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
