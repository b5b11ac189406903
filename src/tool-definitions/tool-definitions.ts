// Which definitions of tools were approved, in memory: the gate holds each list against it, and each call of a tool whose
// changes are held. Kept right by the change log, so that an approval counts at every instance; what a list said that is
// not known yet is written behind the answer, and nobody waits for it.

import type { ToolDefinition } from '../mcp/tool-definition.js'
import type { Follower } from '../storage/changes/feed.js'
import type { Statements, Store } from '../storage/sql/store.js'
import { readDefinitionStates } from '../storage/sql/tool-definitions/tool-definitions.js'
import { type DefinitionState, definitionState, sightingOf } from './definition-state.js'
import { type PinnedRoute, type RecordDependencies, recordSightings } from './record-sightings.js'

export interface ToolPins {
  /** Whether the server gave another definition of the tool than was approved, and not the approved one again since. */
  isChanged(routeId: string, tool: string): boolean
  /** Whether it is the approved definition, or the first one of its tool. */
  isApproved(routeId: string, definition: Pick<ToolDefinition, 'name' | 'digest'>): boolean
  /** What an answer of the server says of configured tools. Throws nothing, and waits for nothing. */
  saw(route: PinnedRoute, definitions: readonly ToolDefinition[]): void
}

export interface ToolDefinitions extends ToolPins, Follower {
  /** Resolves when what was seen is written, or could not be. */
  settled(): Promise<void>
}

export interface ToolDefinitionsOptions extends RecordDependencies {
  store: Pick<Store, 'snapshot'>
  /** Hears of changes that the ledger tells of. */
  onChanged(routeId: string, tools: readonly string[]): void
  /** Hears how many tools of a route wait for approval. */
  onWaiting(routeId: string, tools: number): void
  onError(error: unknown): void
}

/** Of what waits to be written for one route, bytes; more is seen again with the next list. */
const mostWaitingBytes = 8 * 1_048_576
/** After a failure. */
const pauseMs = 5_000

interface Waiting {
  route: PinnedRoute
  definitions: Map<string, ToolDefinition>
  bytes: number
}

/** Nothing known yet. Add it to the Feed before start(). */
export function createToolDefinitions(options: ToolDefinitionsOptions): ToolDefinitions {
  const { store, now, onChanged, onWaiting, onError } = options
  let states = new Map<string, ReadonlyMap<string, DefinitionState>>()
  /** By route and tool, digests that are not the approved ones and of which nothing is written yet. */
  const unwritten = new Map<string, Map<string, string>>()
  const waiting = new Map<string, Waiting>()
  const writing = new Map<string, Promise<void>>()
  const pausedUntil = new Map<string, number>()
  const stateOf = (routeId: string, tool: string) => states.get(routeId)?.get(tool)

  function take(routeId: string, of: ReadonlyMap<string, DefinitionState>): void {
    states.set(routeId, of)
    const left = unwritten.get(routeId)
    for (const [tool, digest] of left ?? []) {
      const state = of.get(tool)
      if (state === undefined || state.pending !== undefined || state.approved === digest) left?.delete(tool)
    }
    onWaiting(routeId, [...of.values()].filter(({ pending }) => pending !== undefined).length)
  }

  async function load(statements: Statements): Promise<void> {
    const rows = await readDefinitionStates(statements)
    const gone = [...states.keys()]
    states = new Map()
    const routes = new Map<string, Map<string, DefinitionState>>(gone.map((route) => [route, new Map()]))
    for (const row of rows) {
      const of = routes.get(row.route) ?? new Map<string, DefinitionState>()
      routes.set(row.route, of.set(row.tool, definitionState(row)))
    }
    for (const [route, of] of routes) take(route, of)
  }

  async function write(routeId: string): Promise<void> {
    for (let next = waiting.get(routeId); next !== undefined; next = waiting.get(routeId)) {
      waiting.delete(routeId)
      try {
        const changed = await recordSightings(options, next.route, [...next.definitions.values()])
        if (changed.length > 0) onChanged(routeId, changed)
      } catch (error) {
        pausedUntil.set(routeId, now() + pauseMs)
        waiting.delete(routeId)
        onError(error)
      }
    }
  }

  function begin(routeId: string): void {
    if (writing.has(routeId) || !waiting.has(routeId)) return
    const work = write(routeId).finally(() => {
      writing.delete(routeId)
      // What came in the turn in which it ended.
      begin(routeId)
    })
    writing.set(routeId, work)
  }

  return {
    name: 'tool definitions',
    load,
    async apply({ entry }) {
      if (entry.kind !== 'tool-definitions') return
      const rows = await store.snapshot((tx) => readDefinitionStates(tx, entry.route))
      take(entry.route, new Map(rows.map((row) => [row.tool, definitionState(row)])))
    },
    isChanged(routeId, tool) {
      const state = stateOf(routeId, tool)
      return state !== undefined && (state.pending !== undefined || unwritten.get(routeId)?.has(tool) === true)
    },
    isApproved(routeId, { name, digest }) {
      const state = stateOf(routeId, name)
      return state === undefined || state.approved === digest
    },
    saw(route, definitions) {
      const nowMs = now()
      const ofRoute = unwritten.get(route.id) ?? new Map<string, string>()
      const isPaused = nowMs < (pausedUntil.get(route.id) ?? 0)
      // Of a name that stands twice the other one counts: a client may take it.
      const seen = new Map<string, ToolDefinition>()
      for (const definition of definitions) {
        const known = seen.get(definition.name)
        if (known === undefined || known.digest === stateOf(route.id, known.name)?.approved)
          seen.set(definition.name, definition)
      }
      for (const definition of seen.values()) {
        const state = stateOf(route.id, definition.name)
        if (state !== undefined && state.approved !== definition.digest && state.pending === undefined) {
          ofRoute.set(definition.name, definition.digest)
        } else ofRoute.delete(definition.name)
        if (isPaused || sightingOf(state, definition.digest, nowMs) === undefined) continue
        enqueue(waiting, route, definition)
      }
      if (ofRoute.size > 0) unwritten.set(route.id, ofRoute)
      else unwritten.delete(route.id)
      begin(route.id)
    },
    async settled() {
      while (writing.size > 0) await Promise.all(writing.values())
    },
  }
}

function enqueue(waiting: Map<string, Waiting>, route: PinnedRoute, definition: ToolDefinition): void {
  const of = waiting.get(route.id) ?? { route, definitions: new Map<string, ToolDefinition>(), bytes: 0 }
  const bytes = definition.text?.length ?? 0
  if (of.bytes + bytes > mostWaitingBytes) return
  of.bytes += bytes
  of.definitions.set(definition.name, definition)
  waiting.set(route.id, of)
}
