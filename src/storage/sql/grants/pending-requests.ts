// Queries of half sign-ins: what was proved first, while the second factor is requested (decision 96; the table's name
// is from when every request waited here). Taking one deletes its row, so that nothing is finished twice.

import type { Tables } from '../rows/tables.js'
import type { Statements } from '../store.js'

export type PendingRequestRow = Tables['pending_requests']

/** Adds one. */
export async function insertPendingRequest(tx: Statements, row: PendingRequestRow): Promise<void> {
  await tx.insertInto('pending_requests').values(row).execute()
}

/** The one with this hash that this browser began and that has not ended by `now` (epoch ms), or undefined. */
export function findPendingRequest(
  statements: Statements,
  { idHash, browserHash, now }: { idHash: string; browserHash: string; now: number },
): Promise<PendingRequestRow | undefined> {
  return statements
    .selectFrom('pending_requests')
    .selectAll()
    .where('id_hash', '=', idHash)
    .where('browser_hash', '=', browserHash)
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

/** Replaces its body; false when it was finished meanwhile. */
export async function updatePendingRequest(tx: Statements, idHash: string, body: string): Promise<boolean> {
  const changed = await tx
    .updateTable('pending_requests')
    .set({ body })
    .where('id_hash', '=', idHash)
    .returning('id_hash')
    .executeTakeFirst()
  return changed !== undefined
}

/** Removes it: true for exactly one caller. */
export async function takePendingRequest(tx: Statements, idHash: string): Promise<boolean> {
  const taken = await tx
    .deleteFrom('pending_requests')
    .where('id_hash', '=', idHash)
    .returning('id_hash')
    .executeTakeFirst()
  return taken !== undefined
}
