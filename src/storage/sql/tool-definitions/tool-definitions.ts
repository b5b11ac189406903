// Queries of the approved definitions of tools, and of those that wait for approval. What is decided by is read without
// the texts, which may be long.

import type { Tables } from '../rows/tables.js'
import type { Statements } from '../store.js'

export type ToolDefinitionRow = Tables['tool_definitions']

/** A row without its texts. */
export type ToolDefinitionState = Omit<ToolDefinitionRow, 'approved_text' | 'pending_text'>

const stateColumns = [
  ...(['id', 'route', 'tool', 'approved_digest', 'approved_at', 'approved_by', 'pending_digest'] as const),
  ...(['pending_at', 'pending_announced', 'announced_at', 'unnamed_at'] as const),
]

/** Of one route, or of all. */
export async function readDefinitionStates(statements: Statements, route?: string): Promise<ToolDefinitionState[]> {
  const query = statements.selectFrom('tool_definitions').select(stateColumns).orderBy('route').orderBy('tool')
  return (route === undefined ? query : query.where('route', '=', route)).execute()
}

/** The whole row, or undefined. */
export async function readDefinition(statements: Statements, id: string): Promise<ToolDefinitionRow | undefined> {
  return statements.selectFrom('tool_definitions').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Throws UniqueViolation where there is one. */
export async function insertDefinition(tx: Statements, row: ToolDefinitionRow): Promise<void> {
  await tx.insertInto('tool_definitions').values(row).execute()
}

/** Changes what is named of a row. */
export async function updateDefinition(
  tx: Statements,
  id: string,
  change: Partial<Omit<ToolDefinitionRow, 'id' | 'route' | 'tool'>>,
): Promise<void> {
  await tx.updateTable('tool_definitions').set(change).where('id', '=', id).execute()
}
