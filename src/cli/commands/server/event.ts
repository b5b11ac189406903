// `portcullis event list`: which events there are, for webhooks and for the filters of the audit.

import type { Command } from 'commander'
import type { AuditEvents } from '../../../management/audit/audit-schemas.js'
import { connect } from '../../calls/connection.js'
import { addConnectionOptions, type ConnectionOptions } from '../../calls/connection-options.js'
import type { LocalClient } from '../../calls/local-client.js'
import { CommandFailure, exitCodes } from '../../output/exit.js'
import { listOption } from '../../output/list-option.js'
import { type OutputFormat, printList } from '../../output/output.js'
import type { Terminal } from '../../output/terminal.js'

const help = `
Webhooks take the events marked webhook, a group such as application.*, or * for all. The audit takes every event that has
happened: audit list --event EVENT. Those are read from the server; without one, the events of webhooks are listed.
`

interface Listed {
  event: string
  webhook: boolean
  audit: boolean
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
      const { eventTypes } = await import('../../../events/event-types.js')
      const { describedEvents } = await import('../../../events/event-words.js')
      const happened = await happenedEvents(await connect(options, terminal))
      if (happened === undefined) terminal.say('No server answers: these are the events of webhooks.')
      const names = [...new Set<string>([...eventTypes, ...(happened ?? [])])].sort()
      const value = names.map((name): Listed => {
        return {
          event: name,
          webhook: eventTypes.some((type) => type === name),
          audit: happened?.includes(name) === true,
          says: describedEvents.find(({ type }) => type === name)?.description ?? '',
        }
      })
      const rows = value.map(({ event: name, webhook, audit, says }) => [
        name,
        [webhook ? 'webhook' : '', audit ? 'audit' : ''].filter((use) => use !== '').join(', '),
        says,
      ])
      printList(terminal, options.output, { value }, { headings: ['EVENT', 'FOR', 'SAYS'], firstToGo: ['SAYS'], rows })
    })
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
