// The changes of tools that wait for somebody who looks after the server, and approving one. And for pages that show a
// tool to people: what was approved of it.

import { type DirectoryWrites, write } from '../directory/writes.js'
import { appendAudit } from '../ledger/append-audit.js'
import type { Actor } from '../ledger/ledger.js'
import { describedTool } from '../mcp/tool-definition.js'
import type { Statements } from '../storage/sql/store.js'
import {
  readDefinition,
  readDefinitionStates,
  type ToolDefinitionRow,
  type ToolDefinitionState,
  updateDefinition,
} from '../storage/sql/tool-definitions/tool-definitions.js'
import { definitionId } from './record-sightings.js'
import { ToolChangeRefusal } from './refusal.js'

type Waiting<Row> = Row & { pending_digest: string; pending_at: number }

/** The tools that changed, by route and name, without their texts. `isPinned`: whether the configuration pins the tool. */
export async function listToolChanges(
  statements: Statements,
  isPinned: (route: string, tool: string) => boolean,
): Promise<Waiting<ToolDefinitionState>[]> {
  const rows = await readDefinitionStates(statements)
  return rows.filter(isWaiting).filter(({ route, tool }) => isPinned(route, tool))
}

/** One with both texts. Throws ToolChangeRefusal (ToolChangeNotFound). */
export async function readToolChange(statements: Statements, id: string): Promise<Waiting<ToolDefinitionRow>> {
  const row = await readDefinition(statements, id)
  if (row === undefined || !isWaiting(row)) {
    throw new ToolChangeRefusal('ToolChangeNotFound', 'No change of such a tool waits for approval.')
  }
  return row
}

/**
 * Approves the definition that waits, which has to be the one with this digest: nobody approves what they have not seen.
 * Throws ToolChangeRefusal and StoreUnavailable.
 */
export async function approveToolChange(
  writes: DirectoryWrites,
  { id, digest }: { id: string; digest: string },
): Promise<Waiting<ToolDefinitionRow>> {
  return write(writes, async ({ tx, record, nowMs }) => {
    const row = await readToolChange(tx, id)
    const { route, tool } = row
    if (row.pending_digest !== digest) {
      const message = 'The definition changed again since it was shown: look at the new difference, and approve that.'
      throw new ToolChangeRefusal('ToolChangedAgain', message)
    }
    record({ kind: 'tool-definitions', route })
    await updateDefinition(tx, id, {
      approved_digest: digest,
      approved_text: row.pending_text,
      approved_at: nowMs,
      approved_by: nameOf(writes.actor),
      pending_digest: null,
      pending_text: null,
      pending_at: null,
      pending_announced: 0,
      announced_at: null,
    })
    const details = { route, tool, digest: { before: row.approved_digest, after: digest } }
    await appendAudit(writes, tx, { event: 'tool.approved', details })
    return row
  })
}

/**
 * Title and description of the approved definition of a tool: words of its server, to be shown as such. Undefined: none
 * was seen, or it is too large to be kept. `route`: the id of the route.
 */
export async function approvedTool(
  statements: Statements,
  { route, tool }: { route: string; tool: string },
): Promise<ReturnType<typeof describedTool> | undefined> {
  const row = await readDefinition(statements, definitionId(route, tool))
  return row === undefined || row.approved_text === null ? undefined : describedTool(row.approved_text)
}

function isWaiting<Row extends Pick<ToolDefinitionState, 'pending_digest' | 'pending_at'>>(
  row: Row,
): row is Waiting<Row> {
  return row.pending_digest !== null
}

function nameOf(actor: Actor): string {
  if (actor.kind === 'user') return actor.userId
  return actor.kind === 'application' ? actor.applicationId : 'operator'
}
