// `portcullis user sessions|end-session|apps|sign-ins`: where a person is signed in, which applications act for them, and
// how they signed in lately.

import type { Command } from 'commander'
import type { ConsentAnswer } from '../../../management/consents/consent-schemas.js'
import { wholeNumber } from '../../arguments.js'
import { type ActivityEntry, type AuditEvent, auditPages } from '../../calls/audit-calls.js'
import { connect } from '../../calls/connection.js'
import { addConnectionOptions, type ConnectionOptions } from '../../calls/connection-options.js'
import { namesOf } from '../../calls/names.js'
import { peopleCalls } from '../../calls/people-calls.js'
import { CommandFailure, exitCodes } from '../../output/exit.js'
import { listOption } from '../../output/list-option.js'
import { type OutputFormat, printList } from '../../output/output.js'
import type { Terminal } from '../../output/terminal.js'

interface PrintOptions extends ConnectionOptions {
  output: OutputFormat
}

/** As much of a session's id as tells the sessions of one person apart. */
const shortId = 12
const userHelp = 'user id or e-mail address'

const sessions = {
  headings: ['LAST SEEN', 'SINCE', 'ADDRESS', 'BROWSER', 'SESSION'],
  empty: 'They are signed in nowhere.',
}

const apps = {
  headings: ['APPLICATION', 'TENANT', 'SINCE', 'PERMISSIONS', 'APPLICATION ID'],
  firstToGo: ['APPLICATION ID'],
  empty: 'They have allowed no application anything by themselves.',
}

const signIns = {
  headings: ['TIME', 'EVENT', 'BY', 'ADDRESS'],
  empty: 'No sign-in is recorded.',
}

/** Adds them to `user`. */
export function addUserActivityCommands(user: Command, terminal: Terminal): void {
  addConnectionOptions(user.command('sessions').description('list the browsers in which they are signed in'))
    .argument('<user>', userHelp)
    .addOption(listOption())
    .action(async (reference: string, options: PrintOptions) => {
      const value = await peopleCalls(await connect(options, terminal)).listSessions(reference)
      const rows = value.map((each) => [each.lastSeenAt, each.createdAt, each.address, each.userAgent, short(each.id)])
      printList(terminal, options.output, { value }, { ...sessions, rows })
    })
  addConnectionOptions(user.command('end-session').description('sign them out of one browser'))
    .argument('<user>', userHelp)
    .argument('<session>', 'as user sessions lists it')
    .action(async (reference: string, session: string, options: ConnectionOptions) => {
      const client = await connect(options, terminal)
      const found = await peopleCalls(client).listSessions(reference)
      const [one, ...others] = found.filter(({ id }) => session.length >= 4 && id.startsWith(session.toLowerCase()))
      if (one === undefined || others.length > 0) {
        const which = one === undefined ? 'they have no session' : 'more than one session begins with'
        throw new CommandFailure(
          exitCodes.notFound,
          `${which} ${session}. List them: portcullis user sessions ${reference}`,
        )
      }
      await client.call('DELETE', `/sessions/${one.id}`)
      terminal.say('That session has ended.')
    })
  addConnectionOptions(user.command('apps').description('list the applications that they allowed something'))
    .argument('<user>', userHelp)
    .addOption(listOption())
    .action(async (reference: string, options: PrintOptions) => {
      const client = await connect(options, terminal)
      const { userId } = await peopleCalls(client).showUser(reference)
      const found = (await client.call('GET', `/consents?userId=${userId}`)) as ConsentAnswer<'consents'>
      const value = found.value.filter((each) => each.userId === userId && each.permissions.length > 0)
      const names = await namesOf(client, options.output, {
        applications: value.map(({ applicationId }) => applicationId),
        tenants: value.map(({ tenantId }) => tenantId),
      })
      const rows = value.map(({ applicationId, tenantId, permissions }) => [
        ...[
          names.application(applicationId),
          names.tenant(tenantId),
          permissions.map(({ grantedAt }) => grantedAt).sort()[0] ?? '',
        ],
        ...[permissions.map(({ id }) => id).join(' '), applicationId],
      ])
      printList(terminal, options.output, { value }, { ...apps, rows })
    })
  addConnectionOptions(user.command('sign-ins').description('list how they signed in lately, and what failed'))
    .argument('<user>', userHelp)
    .option('-n, --limit <number>', 'how many at most', wholeNumber, 20)
    .addOption(listOption())
    .action(async (reference: string, options: PrintOptions & { limit: number }) => {
      const client = await connect(options, terminal)
      const { userId } = await peopleCalls(client).showUser(reference)
      const top = Math.min(options.limit, 200)
      const good = await firstPage(
        auditPages<AuditEvent>(client, 'auditEvents', { userId, event: 'user.signed-in' }, top),
      )
      const bad = await firstPage(auditPages<ActivityEntry>(client, 'activity', { userId }, top))
      const value = [...good, ...bad].sort((one, other) => (one.at > other.at ? -1 : 1)).slice(0, top)
      const rows = value.map(({ at, event, details, address }) => [at, event, proofOf(details), address ?? ''])
      printList(terminal, options.output, { value }, { ...signIns, rows })
    })
}

function short(id: string): string {
  return id.slice(0, shortId)
}

async function firstPage<Entry>(pages: AsyncGenerator<Entry[]>): Promise<Entry[]> {
  return (await pages.next()).value ?? []
}

/** Of a sign-in its methods (RFC 8176), of a failure the proof that was wrong. */
function proofOf(details: unknown): string {
  const { amr, proof } = (typeof details === 'object' && details !== null ? details : {}) as Record<string, unknown>
  if (Array.isArray(amr)) return amr.join(' ')
  return typeof proof === 'string' ? proof : ''
}
