// `portcullis logs tail`: what happens, as it happens. For looking on; what is kept for good is in `audit`.

import { setTimeout as pause } from 'node:timers/promises'
import type { Command } from 'commander'
import { durationSeconds, wholeNumber } from '../../arguments.js'
import { connect } from '../../calls/connection.js'
import { addConnectionOptions, type ConnectionOptions } from '../../calls/connection-options.js'
import { managementCalls, requireTenant } from '../../calls/management-calls.js'
import { jsonLine } from '../../output/json-line.js'
import { outputOption } from '../../output/output.js'
import { printable } from '../../output/table.js'
import type { Terminal } from '../../output/terminal.js'
import { type LogEntry, logReader } from './log-entries.js'
import { isOfService } from './print-explanation.js'

interface TailOptions extends ConnectionOptions {
  app?: string
  tenant?: string
  limit: number
  follow?: boolean
  every: number
  output: 'table' | 'json'
}

const tailHelp = `
A line is the time, what happened, and whom it was about. With --app also what was decided about its token requests and
refused calls, with the reason. -o json prints a JSON document a line.
`

/** Adds `logs tail`. */
export function addLogCommands(program: Command, terminal: Terminal): void {
  const logs = program.command('logs').description('follow what happens')
  addConnectionOptions(logs.command('tail').description('the newest of what was done, failed or was refused'))
    .option('--app <application>', 'only of this application: application id, public key or exact name')
    .option('--tenant <tenant>', 'only of this tenant: tenant id or exact name')
    .option('-n, --limit <number>', 'so many lines first', wholeNumber, 20)
    .option('-f, --follow', 'go on with what comes, until interrupted')
    .option('--every <duration>', 'how often to look while following', durationSeconds, 2)
    .addOption(outputOption(['table', 'json']))
    .addHelpText('after', tailHelp)
    .action((options: TailOptions) => tail(options, terminal))
}

async function tail(options: TailOptions, terminal: Terminal): Promise<void> {
  const client = await connect(options, terminal)
  const calls = managementCalls(client)
  const { app, tenant, limit, follow, every, output } = options
  const filter = {
    applicationId: app === undefined ? undefined : (await calls.showApplication(app)).applicationId,
    tenantId: tenant === undefined ? undefined : await requireTenant(calls, tenant),
  }
  const hidden = (source: LogEntry['source']) => terminal.say(`${names[source]} is for administrators: not shown.`)
  const read = logReader(client, filter, limit, hidden)
  const show = async () => {
    for (const entry of await read()) terminal.out(output === 'json' ? jsonLine(entry) : line(entry))
  }
  await show()
  while (follow === true) {
    await pause(Math.max(every, 1) * 1000)
    await show()
  }
}

const names = {
  ledger: 'What was done',
  activity: 'What failed or was refused',
  decision: 'What was decided about the application',
} as const

function line(entry: LogEntry): string {
  const text = (field: string) => (typeof entry[field] === 'string' ? (entry[field] as string) : '')
  const named = (label: string, value: string) => (value === '' ? [] : [`${label} ${value}`])
  const decided = [text('method'), text('route'), text('grantType'), text('reason')].filter((part) => part !== '')
  const permissions = Array.isArray(entry['permissions']) ? entry['permissions'].map(String) : []
  const about = [
    ...decided,
    ...named(permissions.length === 1 ? 'permission' : 'permissions', permissions.join(' ')),
    ...named('application', text('applicationId')),
    ...named('user', text('userId')),
    ...named('tenant', text('tenantId')),
    ...named('from', text('address')),
    ...named('request', text('requestId')),
  ]
  const outcome = isOfService(text('reason')) ? 'not answered' : text('outcome')
  const happened = text('event') || [text('what'), outcome].filter((part) => part !== '').join(' ')
  return `${printable(`${entry.at}  ${happened.padEnd(28)}  ${about.join('  ')}`.trimEnd())}\n`
}
