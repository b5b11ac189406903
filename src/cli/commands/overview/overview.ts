// `portcullis overview`: the numbers of the portal's first page, on one screen.

import type { Overview } from '../../../management/overview/overview-schemas.js'
import type { UsageAnswer } from '../../../management/permissions/usage-schemas.js'
import type { Answer } from '../../../management/schemas.js'
import { connect } from '../../calls/connection.js'
import type { ConnectionOptions } from '../../calls/connection-options.js'
import { managementCalls, requireTenant } from '../../calls/management-calls.js'
import { shortened } from '../../output/display-width.js'
import { CommandFailure, exitCodes } from '../../output/exit.js'
import { type Field, printJson, printList, printRecord } from '../../output/output.js'
import { relativeTime } from '../../output/relative-time.js'
import { printable } from '../../output/table.js'
import type { Terminal } from '../../output/terminal.js'
import { callsOf, pairsList, refusedOf } from './call-lines.js'
import { sparkline } from './sparkline.js'

export interface OverviewOptions extends ConnectionOptions {
  last: '1h' | '24h'
  tenant?: string
  output: 'table' | 'json'
}

/** What the caller may see; null: they may not. */
interface Found {
  usage: UsageAnswer | null
  callers: UsageAnswer | null
  applications: Overview<'applications'> | null
  unusedPermissions: Overview<'unusedPermissions'> | null
  people: Overview<'people'> | null
  signIns: Overview<'signIns'> | null
  server: Overview<'server'> | null
  status: Answer<'status'> | null
}

const number = new Intl.NumberFormat('en-GB')
const mostPairs = 8
const mostNamed = 3

/** Prints it. Throws CommandFailure. */
export async function overview(options: OverviewOptions, terminal: Terminal): Promise<void> {
  const client = await connect(options, terminal)
  const { last, output } = options
  const tenantId =
    options.tenant === undefined ? undefined : await requireTenant(managementCalls(client), options.tenant)
  const ask = async <T>(path: string, query: Record<string, string | undefined>): Promise<T | null> => {
    const given = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
    try {
      return (await client.call('GET', `${path}?${new URLSearchParams(given)}`)) as T
    } catch (error) {
      if (error instanceof CommandFailure && error.exitCode === exitCodes.denied) return null
      throw error
    }
  }
  const found: Found = {
    usage: await ask('/usage', { last, by: 'time', tenantId }),
    callers: await ask('/usage', { last, by: 'route,application', tenantId }),
    applications: await ask('/overview/applications', { tenantId }),
    unusedPermissions: await ask('/overview/unusedPermissions', { tenantId }),
    people: await ask('/overview/people', { tenantId }),
    signIns: await ask('/overview/signIns', { last, tenantId }),
    server: await ask('/overview/server', { last }),
    status: await ask('/status', {}),
  }
  if (output === 'json') return printJson(terminal, found)
  print(terminal, found)
}

function print(terminal: Terminal, found: Found): void {
  const nowMs = terminal.now?.() ?? Date.now()
  const fields = [...callFields(found), ...tenantFields(found, nowMs), ...serverFields(found, nowMs)]
  const label = Math.max(...fields.map((field) => field.label.length)) + 2
  const room = terminal.width === undefined ? undefined : Math.max(20, terminal.width - label)
  const fitted = fields.map((field) =>
    room === undefined ? field : { ...field, value: shortened(printable(field.value), room) },
  )
  printRecord(terminal, 'table', found, fitted)
  const pairs = found.callers?.value ?? []
  if (pairs.length > 0) {
    terminal.out('\n')
    printList(terminal, 'table', found, pairsList(pairs.slice(0, mostPairs)))
  }
  const hidden = Object.entries(found).flatMap(([name, value]) => (value === null ? [words[name as keyof Found]] : []))
  if (hidden.length > 0) terminal.say(`Not shown, because you may not see it: ${[...new Set(hidden)].join(', ')}.`)
}

const words: Readonly<Record<keyof Found, string>> = {
  usage: 'calls',
  callers: 'calls',
  applications: 'applications',
  unusedPermissions: 'unused permissions',
  people: 'people',
  signIns: 'sign-ins',
  server: 'the server',
  status: 'the server',
}

function callFields({ usage }: Found): Field[] {
  if (usage === null) return []
  const { value } = usage
  const sum = (of: (line: UsageAnswer['value'][number]) => number) => value.reduce((all, line) => all + of(line), 0)
  const errors = sum((line) => line.errors.server)
  const counts = `${number.format(sum(callsOf))}, ${number.format(sum(refusedOf))} refused, ${number.format(errors)} failed`
  return [
    { label: 'calls', value: counts },
    { label: usage.slotSeconds === 60 ? 'by minute' : 'over 24 h', value: sparkline(value.map(callsOf)) },
  ]
}

function tenantFields({ applications, unusedPermissions, people, signIns }: Found, nowMs: number): Field[] {
  const fields: Field[] = []
  if (applications !== null) {
    const { enabled, disabled, endingSecrets, waitingForConsent } = applications
    const secrets = endingSecrets.value.map(({ name, endsAt }) => `${name} ${relativeTime(endsAt, nowMs)}`)
    fields.push(
      { label: 'applications', value: `${number.format(enabled)} enabled, ${number.format(disabled)} disabled` },
      { label: 'secrets that end', value: withNames(endingSecrets.count, secrets) },
      {
        label: 'wait for consent',
        value: withNames(
          waitingForConsent.count,
          waitingForConsent.value.map(({ name }) => name),
        ),
      },
    )
  }
  if (unusedPermissions !== null) {
    const names = unusedPermissions.value.map(({ name, permissions }) => `${name} (${permissions})`)
    fields.push({ label: 'unused permissions', value: withNames(unusedPermissions.count, names) })
  }
  if (signIns !== null) fields.push({ label: 'failed sign-ins', value: number.format(signIns.count) })
  if (people !== null) {
    const { count, value } = people.withoutSecondFactor
    const names = value.map(({ name, email, role }) => `${name === '' ? email : name} (${role})`)
    fields.push({ label: 'no second factor', value: `${withNames(count, names)} of ${number.format(people.people)}` })
  }
  return fields
}

function serverFields({ server, status }: Found, nowMs: number): Field[] {
  const fields: Field[] = []
  if (server !== null) {
    const { requests, clientErrors, serviceErrors, ownErrors, p50Ms, p95Ms, limited, events } = server
    const errors = `${number.format(serviceErrors + ownErrors)} with 5xx, ${number.format(clientErrors)} with 4xx`
    const end = server.certificateEndsAt
    fields.push(
      { label: 'requests', value: `${number.format(requests)}, ${errors}` },
      { label: 'latency', value: `half within ${milliseconds(p50Ms)}, 95 of 100 within ${milliseconds(p95Ms)}` },
      {
        label: 'limits reached',
        value: limited.map(({ name, count }) => `${name} ${number.format(count)}`).join(', ') || 'none',
      },
      { label: 'certificate', value: end === null ? 'none' : `ends ${relativeTime(end, nowMs)}` },
      {
        label: 'events',
        value: events === null ? 'not known' : `${events.waiting} wait, ${events.deadLetters} could not be delivered`,
      },
    )
  }
  if (status !== null) {
    const down = status.targets.filter(({ state }) => state !== 'up')
    const named = down.map(({ upstream, target }) => `${upstream} at ${target}`).join(', ')
    const view = status.viewStale ? 'stale: calls are refused' : `certain ${(status.viewAgeMs / 1000).toFixed(1)} s ago`
    fields.push(
      {
        label: 'targets',
        value: down.length === 0 ? `${status.targets.length}, all up` : `${down.length} down: ${named}`,
      },
      { label: 'instances', value: `${status.instances.length}, revocations ${view}` },
    )
  }
  return fields
}

function withNames(count: number, names: readonly string[]): string {
  if (count === 0) return 'none'
  const more = count > mostNamed ? ' and others' : ''
  return `${number.format(count)}: ${names.slice(0, mostNamed).join(', ')}${more}`
}

function milliseconds(ms: number | null): string {
  return ms === null ? '–' : `${ms < 10 ? ms : Math.round(ms)} ms`
}
