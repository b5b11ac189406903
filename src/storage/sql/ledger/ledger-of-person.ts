// What the ledger says of one person since some place.

import type { Statements } from '../store.js'
import { numbered, selectLedger } from './ledger-entries.js'
import { within } from './ledger-filter.js'
import type { LedgerRow } from './ledger-head.js'

/** The rows about this person after `position`, the newest first, at most `limit`. */
export async function readLedgerOf(
  statements: Statements,
  userId: string,
  position: number,
  limit: number,
): Promise<LedgerRow[]> {
  const rows = selectLedger(statements).where('user_id', '=', userId).where('position', '>', within(position))
  return numbered(await rows.orderBy('position', 'desc').limit(limit).execute())
}
