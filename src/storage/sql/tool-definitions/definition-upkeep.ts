// Rows of tools that the configuration names no more: since when, and their end.

import type { Statements } from '../store.js'

/** Notes since when it is not named; null: it is. */
export async function setUnnamed(tx: Statements, id: string, unnamedAt: number | null): Promise<void> {
  await tx.updateTable('tool_definitions').set({ unnamed_at: unnamedAt }).where('id', '=', id).execute()
}

/** Takes it away. */
export async function deleteDefinition(tx: Statements, id: string): Promise<void> {
  await tx.deleteFrom('tool_definitions').where('id', '=', id).execute()
}
