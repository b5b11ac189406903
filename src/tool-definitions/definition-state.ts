// What is known of the definition of one tool, and what a sighting of its server's list changes about it. Pure: the same
// says in memory that there is nothing to write, and in the transaction what is written.

import type { ToolDefinitionState } from '../storage/sql/tool-definitions/tool-definitions.js'

export interface DefinitionState {
  /** Digests. */
  approved: string
  /** What its server gives instead; undefined: nothing else. */
  pending: string | undefined
  /** Epoch milliseconds. */
  pendingAt: number
  /** Whether the ledger tells of the pending one, and when it told last. */
  isAnnounced: boolean
  announcedAt: number | undefined
}

/**
 * `accept`: the first one, which is trusted. `change`: another one waits. `return`: the server gives the approved one
 * again. `announce`: the ledger hears of what waits. Of `change`, `announces` says whether the ledger hears of it.
 */
export type Sighting =
  | { kind: 'accept' }
  | { kind: 'change'; announces: boolean }
  | { kind: 'return' }
  | { kind: 'announce' }

/** A definition stands for so long before another one, or its return, is written: no server writes a row at each list. */
const settledMs = 60_000
/** Between two changes of a tool that the ledger tells of, when nothing was approved in between. */
const betweenAnnouncementsMs = 3_600_000

/** What follows from seeing a definition; undefined: nothing that is not known. `state` undefined: it is the first one. */
export function sightingOf(state: DefinitionState | undefined, digest: string, nowMs: number): Sighting | undefined {
  if (state === undefined) return { kind: 'accept' }
  const isSettled = Math.abs(nowMs - state.pendingAt) >= settledMs
  if (digest === state.approved) return state.pending !== undefined && isSettled ? { kind: 'return' } : undefined
  const announces = state.announcedAt === undefined || Math.abs(nowMs - state.announcedAt) >= betweenAnnouncementsMs
  if (digest === state.pending) return !state.isAnnounced && announces ? { kind: 'announce' } : undefined
  return state.pending === undefined || isSettled ? { kind: 'change', announces } : undefined
}

/** From a row. */
export function definitionState(row: ToolDefinitionState): DefinitionState {
  return {
    approved: row.approved_digest,
    pending: row.pending_digest ?? undefined,
    pendingAt: Number(row.pending_at ?? 0),
    isAnnounced: Number(row.pending_announced) === 1,
    announcedAt: row.announced_at === null ? undefined : Number(row.announced_at),
  }
}
