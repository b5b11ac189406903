// Queries of what counts only once: proofs, requests that were finished, and forms that were carried out.

import type { Tables } from '../rows/tables.js'
import type { Statements } from '../store.js'

/** Notes a use: true exactly once for each `id_hash`, also for callers at the same moment. */
export async function insertSingleUse(tx: Statements, row: Tables['single_uses']): Promise<boolean> {
  const inserted = await tx
    .insertInto('single_uses')
    .values(row)
    .onConflict((conflict) => conflict.column('id_hash').doNothing())
    .returning('id_hash')
    .executeTakeFirst()
  return inserted !== undefined
}

/** Whether it was noted. */
export async function findSingleUse(statements: Statements, idHash: string): Promise<boolean> {
  const row = await statements
    .selectFrom('single_uses')
    .select('id_hash')
    .where('id_hash', '=', idHash)
    .executeTakeFirst()
  return row !== undefined
}

/** Forgets one: what it was noted for did not happen. */
export async function removeSingleUse(tx: Statements, idHash: string): Promise<void> {
  await tx.deleteFrom('single_uses').where('id_hash', '=', idHash).execute()
}

/** Deletes up to `most` whose proofs expired before `endedBefore` (epoch ms), the oldest first; answers how many. */
export async function deleteSingleUses(tx: Statements, endedBefore: number, most: number): Promise<number> {
  const rows = await tx
    .selectFrom('single_uses')
    .select('id_hash')
    .where('expires_at', '<', endedBefore)
    .orderBy('expires_at')
    .limit(most)
    .execute()
  const hashes = rows.map((row) => row.id_hash)
  if (hashes.length > 0) await tx.deleteFrom('single_uses').where('id_hash', 'in', hashes).execute()
  return hashes.length
}
