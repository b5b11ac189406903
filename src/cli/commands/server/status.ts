// `portcullis status`: how the running server is, in one screen. It asks the server and nobody else; `doctor` looks for
// the reasons. Behind a primary one of the workers answers, and the list shows them all.

import type { Command } from 'commander'
import type { Answer } from '../../../management/schemas.js'
import { connect } from '../../calls/connection.js'
import { addConnectionOptions, type ConnectionOptions } from '../../calls/connection-options.js'
import { managementCalls } from '../../calls/management-calls.js'
import { durationText } from '../../output/duration-text.js'
import { listOption } from '../../output/list-option.js'
import { type Field, type OutputFormat, printList, printRecord } from '../../output/output.js'
import { printable } from '../../output/table.js'
import type { Terminal } from '../../output/terminal.js'

type Status = Answer<'status'>

/** Adds `status`. It ends with 0 whenever the server answers: how it is stands in the answer. */
export function addStatusCommand(program: Command, terminal: Terminal): void {
  addConnectionOptions(program.command('status').description('show how the server is, and who shares its Store'))
    .addOption(listOption())
    .action(async (options: ConnectionOptions & { output: OutputFormat }) => {
      const status = await managementCalls(await connect(options, terminal)).status()
      printRecord(terminal, options.output, status, fieldsOf(status))
      if (options.output === 'json') return
      terminal.out('\n')
      // Nobody can know more while the Store is away.
      const headings = [
        status.store.available ? 'INSTANCE' : 'INSTANCE (AS LAST KNOWN)',
        'NAME',
        'STARTED',
        'CHANGE',
        'LEADER',
      ]
      const rows = status.instances.map((one) => [
        ...[one.id, one.name, one.startedAt, String(one.seq), one.leader ? 'yes' : 'no'],
      ])
      printList(terminal, options.output, status, { headings, rows })
      printGonePlans(terminal, options.output, status)
      printMistakes(terminal, status)
      const down = [...downOf(status), ...stumblingOf(status)]
      if (down.length === 0) return
      terminal.out('\n')
      printList(terminal, options.output, status, {
        headings: ['UPSTREAM', 'TARGET', 'DOWN SINCE', 'WHY'],
        rows: down.map((one) => [one.upstream, one.target, one.since ?? '', whyOf(one)]),
      })
    })
}

/** Nothing where every plan that applications are on is in the configuration. */
function printGonePlans(terminal: Terminal, output: OutputFormat, status: Status): void {
  // A server of an earlier version does not say.
  const gone = status.gonePlans ?? []
  if (gone.length === 0) return
  terminal.out('\n')
  printList(terminal, output, status, {
    headings: ['PLAN THAT IS GONE', 'APPLICATIONS', 'NOW ON', 'SUCH AS'],
    rows: gone.map(({ plan, applications, instead, some }) => [
      ...[plan, String(applications), instead ?? 'no plan: the limits of all'],
      some.map(({ name }) => name).join(', '),
    ]),
  })
}

/** Nothing where the files are in effect. */
function printMistakes(terminal: Terminal, { refusedConfiguration: refused }: Status): void {
  // A server of an earlier version does not say.
  if (refused == null) return
  terminal.out('\nMISTAKES OF THE CONFIGURATION\n')
  for (const mistake of refused.first) terminal.out(`${printable(mistake)}\n`)
  const more = refused.mistakes - refused.first.length
  if (more > 0) terminal.out(`and ${more} more: portcullis reload\n`)
}

function configurationLine({ refusedConfiguration: refused }: Status): string {
  if (refused == null) return 'in effect as it was last read'
  return `refused since ${refused.since}, see below; what was read before stays in effect`
}

function fieldsOf(status: Status): Field[] {
  const { store, redis, viewAgeMs, viewStale, degraded } = status
  const age = viewAgeMs < 0 ? 'not loaded yet' : `certain ${seconds(viewAgeMs / 1000)} ago`
  return [
    { label: 'ready', value: status.ready ? 'yes' : `no: ${status.reasons.map(explained).join('; ')}` },
    { label: 'degraded', value: degraded.length === 0 ? 'no' : `yes: ${degraded.map(explained).join('; ')}` },
    { label: 'answered by', value: status.instance },
    { label: 'version', value: `${status.version}, ${status.mode} mode, up ${durationText(status.uptimeSeconds)}` },
    { label: 'base URL', value: status.baseUrl },
    { label: 'configuration', value: configurationLine(status) },
    { label: 'store', value: `${store.kind}, ${answering(store)}` },
    { label: 'redis', value: redis === null ? 'none is configured' : answering(redis) },
    {
      label: 'view',
      value: `${age}${viewStale ? ', stale: calls are refused with 503' : ''}, at change ${status.seq}`,
    },
    { label: 'clock skew', value: seconds(status.clockSkewSeconds) },
    { label: 'targets', value: targetsLine(status) },
  ]
}

function downOf({ targets }: Status): Status['targets'] {
  return targets.filter(({ state }) => state !== 'up')
}

/** Well as far as anybody knows, though the newest request to it was not answered. */
function stumblingOf({ targets }: Status): Status['targets'] {
  return targets.filter(({ state, cause }) => state === 'up' && cause !== undefined)
}

function targetsLine(status: Status): string {
  const { targets } = status
  if (targets.length === 0) return 'none are configured'
  const down = downOf(status).length
  if (down > 0) return `${down} of ${targets.length} down, see below`
  const stumbling = stumblingOf(status).length
  return `${targets.length}, ${stumbling === 0 ? 'all up' : `${stumbling} did not answer the newest request, see below`}`
}

function whyOf({ state, cause }: Status['targets'][number]): string {
  return [causes[state] ?? state, cause].filter(Boolean).join(': ')
}

const causes: Readonly<Record<string, string>> = {
  unwell: 'its checks find it unwell',
  failing: 'requests to it fail',
  up: 'the newest request failed',
}

/** What readiness calls by an id. */
const meanings: Readonly<Record<string, string>> = {
  starting: 'it is starting',
  draining: 'it is ending',
  view_stale: 'it may have missed a revocation, because neither the Store nor Redis brings changes',
  store_down: 'new tokens, revocations and management answer 503; calls go on while the view is fresh',
  store_not_writable:
    'a write failed: is the disk of the database full, read-only or failing? Revocations, sign-in and management answer 503; calls go on',
  redis_down: 'limits do what their onDown says; no decision is lost',
  clock_skew: 'clocks differ by more than tokens allow: synchronise them',
}

/** An id of readiness with what it means. */
export function explained(id: string): string {
  const meaning = meanings[id]
  return meaning === undefined ? id : `${id} (${meaning})`
}

function answering({ available }: { available: boolean }): string {
  return available ? 'answers' : 'does not answer'
}

function seconds(value: number): string {
  return `${value.toFixed(1)} s`
}
