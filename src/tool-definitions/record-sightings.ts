// What lists said of tools, written: the first definition of a tool is trusted, another one waits for approval. One
// transaction for all tools of an answer, which reads again what it decides on: another instance may have seen the same.

import { createHash } from 'node:crypto'
import { appendAudit } from '../ledger/append-audit.js'
import type { Ledger } from '../ledger/ledger.js'
import type { ToolDefinition } from '../mcp/tool-definition.js'
import type { Feed } from '../storage/changes/feed.js'
import type { Statements } from '../storage/sql/store.js'
import {
  insertDefinition,
  readDefinitionStates,
  updateDefinition,
} from '../storage/sql/tool-definitions/tool-definitions.js'
import { definitionState, type Sighting, sightingOf } from './definition-state.js'

export interface RecordDependencies {
  feed: Pick<Feed, 'commit'>
  ledger: Ledger
  /** Epoch milliseconds. */
  now: () => number
}

/** A route whose definitions are pinned. */
export interface PinnedRoute {
  id: string
  /** Whether changed tools are out of use until they are approved. */
  holds: boolean
}

/** What a row is known by: the same at every instance. */
export function definitionId(route: string, tool: string): string {
  return createHash('sha256')
    .update(JSON.stringify([route, tool]))
    .digest('base64url')
    .slice(0, 22)
}

/** Names of tools that one event lists. */
const mostNames = 50

/** Writes what is new of them; the tools that changed and were told of. Throws StoreUnavailable. */
export async function recordSightings(
  { feed, ledger, now }: RecordDependencies,
  { id: route, holds }: PinnedRoute,
  definitions: readonly ToolDefinition[],
): Promise<readonly string[]> {
  const nowMs = now()
  const { result } = await feed.commit(async (tx, record) => {
    const known = new Map((await readDefinitionStates(tx, route)).map((row) => [row.tool, definitionState(row)]))
    const sightings = definitions.flatMap((definition) => {
      const sighting = sightingOf(known.get(definition.name), definition.digest, nowMs)
      return sighting === undefined ? [] : [{ definition, sighting }]
    })
    if (sightings.length === 0) return []
    record({ kind: 'tool-definitions', route })
    for (const { definition, sighting } of sightings) await put(tx, route, { definition, sighting, nowMs })
    const origin = { ledger, actor: { kind: 'system' } } as const
    const accepted = namesOf(sightings, ({ kind }) => kind === 'accept')
    if (accepted.length > 0) {
      const details = { route, tools: accepted.slice(0, mostNames), count: accepted.length }
      await appendAudit(origin, tx, { event: 'tool.pinned', details })
    }
    const announced = sightings.filter(({ sighting }) => sighting.kind === 'announce' || isAnnounced(sighting))
    for (const { definition } of announced) {
      const { name: tool, digest } = definition
      await appendAudit(origin, tx, { event: 'tool.changed', details: { route, tool, digest, held: holds } })
    }
    for (const tool of namesOf(sightings, ({ kind }) => kind === 'return')) {
      // Told only where the change was.
      if (known.get(tool)?.isAnnounced === true) {
        await appendAudit(origin, tx, { event: 'tool.changed-back', details: { route, tool } })
      }
    }
    return announced.map(({ definition }) => definition.name)
  })
  return result
}

function isAnnounced(sighting: Sighting): boolean {
  return sighting.kind === 'change' && sighting.announces
}

function namesOf(
  sightings: readonly { definition: ToolDefinition; sighting: Sighting }[],
  includes: (sighting: Sighting) => boolean,
): string[] {
  return sightings.filter(({ sighting }) => includes(sighting)).map(({ definition }) => definition.name)
}

async function put(
  tx: Statements,
  route: string,
  { definition, sighting, nowMs }: { definition: ToolDefinition; sighting: Sighting; nowMs: number },
): Promise<void> {
  const { name: tool, digest, text = null } = definition
  const id = definitionId(route, tool)
  const nothingPending = { pending_digest: null, pending_text: null, pending_at: null, pending_announced: 0 }
  if (sighting.kind === 'accept') {
    const approved = { approved_digest: digest, approved_text: text, approved_at: nowMs, approved_by: '' }
    await insertDefinition(tx, {
      id,
      route,
      tool,
      ...approved,
      ...nothingPending,
      announced_at: null,
      unnamed_at: null,
    })
  } else if (sighting.kind === 'return') await updateDefinition(tx, id, nothingPending)
  else if (sighting.kind === 'announce') await updateDefinition(tx, id, { pending_announced: 1, announced_at: nowMs })
  else {
    const announced = sighting.announces ? { pending_announced: 1, announced_at: nowMs } : { pending_announced: 0 }
    await updateDefinition(tx, id, { pending_digest: digest, pending_text: text, pending_at: nowMs, ...announced })
  }
}
