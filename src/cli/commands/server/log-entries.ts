// What `logs tail` shows: what was done (the ledger), what failed or was refused (the activity log), and, of one
// application, what was decided about its requests. Three lists of the management API as one, in the order of time.

import type { LocalClient } from '../../calls/local-client.js'
import { CommandFailure, exitCodes } from '../../output/exit.js'

/** One line. `id` names it among those of its source. */
export interface LogEntry extends Record<string, unknown> {
  source: 'ledger' | 'activity' | 'decision'
  id: string
  at: string
}

export interface LogFilter {
  tenantId: string | undefined
  applicationId: string | undefined
}

/** A list that is followed. */
interface Source {
  name: LogEntry['source']
  path: string
  query: Record<string, string | undefined>
}

const most = 200

/**
 * Answers, each time it is called, the entries that came since, oldest first; the first time the newest `count`. What
 * comes between two calls beyond the newest 200 of a list is not among them. A list that this caller may not read is
 * left out, and `hidden` hears of it; when there is no other, it throws CommandFailure.
 */
export function logReader(
  client: LocalClient,
  filter: LogFilter,
  count: number,
  hidden: (source: LogEntry['source']) => void,
): () => Promise<LogEntry[]> {
  let sources = sourcesOf(filter)
  let previous: ReadonlySet<string> | undefined
  return async () => {
    const read = await Promise.all(sources.map((source) => readable(client, source)))
    sources = sources.filter((_source, at) => Array.isArray(read[at]))
    const refusals = read.filter((one) => one instanceof Refusal)
    if (sources.length === 0) throw refusals[0]
    for (const { source } of refusals) hidden(source)
    const all = read.flatMap((one) => (Array.isArray(one) ? one : [])).sort(byTime)
    const before = previous
    previous = new Set(all.map(nameOf))
    return before === undefined ? all.slice(-count) : all.filter((entry) => !before.has(nameOf(entry)))
  }
}

/** Why a list is not shown. */
class Refusal extends CommandFailure {
  readonly source: LogEntry['source']

  constructor(source: LogEntry['source'], cause: CommandFailure) {
    super(cause.exitCode, cause.message, { cause })
    this.source = source
  }
}

async function readable(client: LocalClient, source: Source): Promise<LogEntry[] | Refusal> {
  try {
    return await entriesOf(client, source)
  } catch (error) {
    if (!(error instanceof CommandFailure) || error.exitCode !== exitCodes.denied) throw error
    return new Refusal(source.name, error)
  }
}

function byTime(a: LogEntry, b: LogEntry): number {
  return a.at < b.at ? -1 : a.at > b.at ? 1 : 0
}

function sourcesOf({ tenantId, applicationId }: LogFilter): Source[] {
  const both = { tenantId, applicationId }
  const decisions = `/applications/${applicationId}/activity`
  return [
    { name: 'ledger', path: '/auditEvents', query: both },
    { name: 'activity', path: '/activity', query: both },
    ...(applicationId === undefined ? [] : [{ name: 'decision' as const, path: decisions, query: {} }]),
  ]
}

async function entriesOf(client: LocalClient, { name, path, query }: Source): Promise<LogEntry[]> {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined)
  const search = new URLSearchParams([['$top', String(most)], ...given])
  const answer = await client.call('GET', `${path}?${search}`)
  const { value } = answer as { value: (Record<string, unknown> & { at: string })[] }
  return value.map((one) => {
    const id = String(one['id'] ?? one['position'] ?? `${one['requestId']} ${one.at}`)
    return { ...one, source: name, id }
  })
}

function nameOf({ source, id }: LogEntry): string {
  return `${source} ${id}`
}
