// Other keys of a client that nobody registered, where its document names their address.

import type { Statements } from '../../store.js'

/** Other keys of the same client, of a copy that was fetched then. */
export async function putDocumentKeys(
  tx: Statements,
  id: string,
  { jwks, fetched_at, updated_at }: { jwks: string; fetched_at: number; updated_at: number },
): Promise<void> {
  await tx.updateTable('applications').set({ jwks, updated_at }).where('id', '=', id).execute()
  await tx.updateTable('client_documents').set({ fetched_at, updated_at }).where('application_id', '=', id).execute()
}
