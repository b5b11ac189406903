// `audit list` and `audit activity` as tables: names beside identifiers, so that a row says who and what without a
// second command.

import type { ActivityEntry, AuditEvent } from '../../calls/audit-calls.js'
import type { LocalClient } from '../../calls/local-client.js'
import { type Names, namesOf } from '../../calls/names.js'
import { type OutputFormat, printList } from '../../output/output.js'
import type { Terminal } from '../../output/terminal.js'

interface Page<Entry> {
  client: LocalClient
  value: Entry[]
}

type Subject = ActivityEntry | AuditEvent

const subjects = ['APPLICATION', 'USER', 'TENANT', 'ADDRESS', 'APPLICATION ID', 'USER ID', 'TENANT ID']
const context = ['APPLICATION', 'USER', 'TENANT', 'APPLICATION ID', 'USER ID', 'TENANT ID']
const firstToGo = ['TENANT ID', 'USER ID', 'APPLICATION ID', 'ADDRESS', 'TENANT']

/** Prints what was done. */
export async function listEvents({ client, value }: Page<AuditEvent>, { output }: Printed, terminal: Terminal) {
  const actors = value.map(({ actor }) => actorOf(actor))
  const names = await subjectNames(client, output, [...value, ...actors])
  const rows = value.map((event, at) => [
    ...[String(event.position), event.at, event.event, whoOf(actors[at] ?? {}, names), ...cellsOf(event, names)],
  ])
  const headings = ['POSITION', 'TIME', 'EVENT', 'WHO', ...subjects]
  const list = { headings, rows, context, firstToGo: [...firstToGo, 'POSITION'] }
  printList(terminal, output, { value }, { ...list, empty: 'Nothing is recorded that fits.' })
}

/** Prints what failed or was refused. */
export async function listActivity({ client, value }: Page<ActivityEntry>, { output }: Printed, terminal: Terminal) {
  const names = await subjectNames(client, output, value)
  const rows = value.map((entry) => [entry.at, entry.event, ...cellsOf(entry, names)])
  const list = { headings: ['TIME', 'EVENT', ...subjects], rows, context, firstToGo }
  printList(terminal, output, { value }, { ...list, empty: 'Nothing failed or was refused that fits.' })
}

interface Printed {
  output: OutputFormat
}

async function subjectNames(
  client: LocalClient,
  output: OutputFormat,
  value: readonly Partial<Pick<Subject, 'applicationId' | 'tenantId' | 'userId'>>[],
): Promise<Names> {
  return namesOf(client, output, {
    applications: value.map(({ applicationId }) => applicationId),
    tenants: value.map(({ tenantId }) => tenantId),
    users: value.map(({ userId }) => userId),
  })
}

function cellsOf({ applicationId, userId, tenantId, address }: Subject, names: Names): string[] {
  const named = [names.application(applicationId), names.user(userId), names.tenant(tenantId)]
  return [...named, address ?? '', applicationId ?? '', userId ?? '', tenantId ?? '']
}

type Actor = Partial<Record<'kind' | 'userId' | 'applicationId' | 'registrationTokenId', string>>

function actorOf(actor: unknown): Actor {
  return typeof actor === 'object' && actor !== null ? (actor as Actor) : {}
}

function whoOf({ kind, userId, applicationId, registrationTokenId }: Actor, names: Names): string {
  const named = names.user(userId) || names.application(applicationId)
  return [kind, named || (userId ?? applicationId ?? registrationTokenId)]
    .filter((part) => typeof part === 'string')
    .join(' ')
}
