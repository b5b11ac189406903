// Accounting for what a room does, with the origin that its collaborators carry.

import type { Statements } from '../storage/sql/store.js'
import type { Ledger, LedgerEvent, Origin } from './ledger.js'

/**
 * Appends an event of this origin, as part of the transaction that does what it says. Last of all (see Ledger.append).
 * Throws StoreUnavailable: then nothing of the transaction is done.
 */
export async function appendAudit(
  { ledger, actor, requestId, address }: Origin & { ledger: Ledger },
  tx: Statements,
  event: Omit<LedgerEvent, keyof Origin>,
): Promise<void> {
  await ledger.append(tx, { actor, requestId, address, ...event })
}

/**
 * `key.added`, `.activated`, `.retired` or `.removed`, for the life of the signing keys (tokens/keys/key-lifecycle.ts).
 */
export function appendKeyAudit(
  deps: Origin & { ledger: Ledger },
): (
  tx: Statements,
  move: { moved: 'added' | 'activated' | 'retired' | 'removed'; kid: string; purpose: string; alg: string },
) => Promise<void> {
  return (tx, { moved, ...details }) => appendAudit(deps, tx, { event: `key.${moved}`, details })
}
