// Taking a request for an administrator's consent back. Only one that waits goes, so of taking it back and deciding it
// at the same time one happens.

import type { Statements } from '../store.js'

/** Takes away one that waits; whether it still did. */
export async function withdrawConsentRequest(tx: Statements, id: string): Promise<boolean> {
  const waiting = tx.deleteFrom('consent_requests').where('id', '=', id).where('state', '=', 'pending')
  return Number((await waiting.executeTakeFirst()).numDeletedRows) > 0
}
