// When a subject was last revoked, for callers that must know whether a proof is older than that.

import type { RevocationKind } from '../../changes/feed.js'
import type { Statements } from '../store.js'

/** The number of the change that last revoked this subject; 0 when there is none, or none that still matters. */
export async function readRevocationSeq(reader: Statements, what: RevocationKind, id: string): Promise<number> {
  const row = await reader
    .selectFrom('revocations')
    .select('seq')
    .where('what', '=', what)
    .where('id', '=', id)
    .executeTakeFirst()
  return Number(row?.seq ?? 0)
}
