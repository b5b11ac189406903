// The definitions of pinned tools, read by the leader: soon after a start or a reload, and every few minutes. What was
// approved of tools that the configuration names no more leaves in time.

import type { Settings } from '../config/settings/settings.js'
import { readDefinitions } from '../gateway/mcp/definition-reader.js'
import type { McpRoute } from '../gateway/mcp/server-place.js'
import { namedWhile } from '../observability/named-work.js'
import { sweepDefinitions } from '../tool-definitions/upkeep.js'
import type { Collaborators } from './collaborators.js'

export interface DefinitionWatchDeps {
  /** As it is at the moment. */
  settings: Settings
  store: Pick<Collaborators['store'], 'reader'>
  feed: Pick<Collaborators['feed'], 'commit'>
  keyring: Collaborators['keyring']
  toolDefinitions: Collaborators['toolDefinitions']
  leader: { isLeader(): boolean }
  metrics: Pick<Collaborators['metrics'], 'definitionReads'>
  now: () => number
  monotonic: () => number
  version: string
  onError: (error: unknown) => void
}

/** How often it looks for what is due, how long a reading counts, and how often rows are swept. */
const lookEveryMs = 5_000
const everyMs = 5 * 60_000
const sweepEveryMs = 10 * 60_000

/** Starts it; the answer stops it. `times`: for tests. */
export function watchDefinitions(
  deps: DefinitionWatchDeps,
  times: { lookEveryMs: number; everyMs: number } = { lookEveryMs, everyMs },
): () => Promise<void> {
  const { leader, monotonic, onError } = deps
  const stopped = new AbortController()
  /** Of each route that was read: its settings, which a reload replaces, when, and how often. */
  let read = new Map<string, { route: McpRoute; at: number; turn: number; isFailing: boolean }>()
  let sweptAt = Number.NEGATIVE_INFINITY
  let underWay: Promise<void> | undefined

  async function readOne(route: McpRoute): Promise<void> {
    const { turn = 0, isFailing = false } = read.get(route.id) ?? {}
    const { signal } = stopped
    const { settings, keyring, toolDefinitions: pins, version, now } = deps
    const outcome = await readDefinitions({ settings, keyring, pins, version, now }, route, { turn, signal }).then(
      () => 'read',
      (error: unknown) => {
        // Told once, until it works again.
        if (!isFailing && !signal.aborted) {
          onError(new Error(`the definitions of the tools of ${route.id} cannot be read`, { cause: error }))
        }
        return 'failed'
      },
    )
    read.set(route.id, { route, at: monotonic(), turn: turn + 1, isFailing: outcome === 'failed' })
    deps.metrics.definitionReads.inc({ route: route.id, outcome })
  }

  async function look(): Promise<void> {
    const { routes } = deps.settings
    const pinned = routes.filter((route): route is McpRoute => route.mcp?.pins !== undefined)
    read = new Map([...read].filter(([id]) => pinned.some((route) => route.id === id)))
    for (const route of pinned) {
      const before = read.get(route.id)
      const isDue = before?.route !== route || monotonic() - before.at >= times.everyMs
      if (isDue && leader.isLeader() && !stopped.signal.aborted) await readOne(route)
    }
    if (monotonic() - sweptAt < sweepEveryMs || stopped.signal.aborted) return
    sweptAt = monotonic()
    const named = new Map(routes.map(({ id, mcp }) => [id, mcp?.tools]))
    const { feed, store, now } = deps
    await sweepDefinitions({ feed, reader: store.reader, now }, (route, tool) => named.get(route)?.has(tool) === true)
  }

  const timer = setInterval(() => {
    if (underWay !== undefined) return
    // Another leader begins anew: what it missed is nobody's to say.
    if (!leader.isLeader()) return read.clear()
    underWay = namedWhile('tool definitions', look)
      .catch(onError)
      .finally(() => {
        underWay = undefined
      })
  }, times.lookEveryMs).unref()
  return async () => {
    clearInterval(timer)
    stopped.abort()
    await underWay
    await deps.toolDefinitions.settled()
  }
}
