// `portcullis event list`: which events there are, for webhooks and for the filters of the audit.

import type { Command } from 'commander'
import type { AuditEvents } from '../../../management/audit/audit-schemas.js'
import { connect } from '../../calls/connection.js'
import { addConnectionOptions, type ConnectionOptions } from '../../calls/connection-options.js'
import type { LocalClient } from '../../calls/local-client.js'
import { unknown } from '../../calls/unknown-names.js'
import { CommandFailure, exitCodes } from '../../output/exit.js'
import { listOption } from '../../output/list-option.js'
import { type OutputFormat, printList } from '../../output/output.js'
import type { Terminal } from '../../output/terminal.js'

const help = `
Webhooks take the events marked webhook, a group such as application.*, or * for all. audit list --event EVENT finds those
marked audit, and audit activity --event EVENT those marked activity. A server that has recorded others adds them.
`

interface Listed {
  event: string
  webhook: boolean
  audit: boolean
  activity: boolean
  /** Of the events of webhooks: what each tells. */
  says: string
}

/** Adds `event list`. */
export function addEventCommands(program: Command, terminal: Terminal): void {
  const event = program.command('event').description('the events that webhooks and the audit tell of')
  addConnectionOptions(event.command('list').description('list the names of events'))
    .addOption(listOption())
    .addHelpText('after', help)
    .action(async (options: ConnectionOptions & { output: OutputFormat }) => {
      const value = await listed((await happenedEvents(await connect(options, terminal))) ?? [])
      const rows = value.map(({ event: name, webhook, audit, activity, says }) => {
        const uses = [webhook ? 'webhook' : '', audit ? 'audit' : '', activity ? 'activity' : '']
        return [name, uses.filter((use) => use !== '').join(', '), says]
      })
      printList(terminal, options.output, { value }, { headings: ['EVENT', 'FOR', 'SAYS'], firstToGo: ['SAYS'], rows })
    })
}

async function listed(happened: readonly string[]): Promise<Listed[]> {
  const [{ eventTypes }, { describedEvents }, { activityEventNames, auditEventNames }] = await Promise.all([
    import('../../../events/event-types.js'),
    import('../../../events/event-words.js'),
    import('../../../ledger/names/event-names.js'),
  ])
  const [webhook, activity] = [new Set<string>(eventTypes), new Set<string>(activityEventNames)]
  const audit = new Set<string>([...auditEventNames, ...happened])
  return [...new Set([...webhook, ...audit, ...activity])].sort().map((name) => ({
    event: name,
    webhook: webhook.has(name),
    audit: audit.has(name),
    activity: activity.has(name),
    says: describedEvents.find(({ type }) => type === name)?.description ?? '',
  }))
}

/**
 * Throws CommandFailure (not found, with the nearest there is) for a name that neither this program knows nor the
 * server has recorded.
 */
export async function requireEventName(client: LocalClient, name: string): Promise<void> {
  const { activityEventNames, auditEventNames } = await import('../../../ledger/names/event-names.js')
  const known: readonly string[] = [...auditEventNames, ...activityEventNames]
  if (known.includes(name)) return
  const happened = (await happenedEvents(client)) ?? []
  if (!happened.includes(name)) throw await unknown('event', name, [...known, ...happened])
}

/** What stands in the audit; undefined where no server answers, or this caller may not read it. */
export async function happenedEvents(client: LocalClient, patienceMs?: number): Promise<string[] | undefined> {
  try {
    const options = patienceMs === undefined ? {} : { patienceMs }
    const answer = (await client.call('GET', '/auditEvents?$top=1', undefined, options)) as AuditEvents
    return answer.names.events
  } catch (error) {
    const isAway = error instanceof CommandFailure && excused.has(error.exitCode)
    if (isAway) return undefined
    throw error
  }
}

const excused = new Set<number>([exitCodes.unreachable, exitCodes.denied])
