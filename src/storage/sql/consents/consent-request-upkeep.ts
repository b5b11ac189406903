// Keeping the requests for an administrator's consent few: what was decided long ago leaves. The ledger keeps it.

import type { Statements } from '../store.js'

/** Removes up to `most` that were decided before then (epoch ms), the oldest first; answers how many there were. */
export async function deleteDecidedConsentRequests(tx: Statements, before: number, most: number): Promise<number> {
  const decided = await tx
    .selectFrom('consent_requests')
    .select('id')
    .where('state', '<>', 'pending')
    .where('decided_at', '<', before)
    .orderBy('decided_at')
    .orderBy('id')
    .limit(most)
    .execute()
  const ids = decided.map(({ id }) => id)
  if (ids.length > 0) await tx.deleteFrom('consent_requests').where('id', 'in', ids).execute()
  return ids.length
}
