// An application goes: every row that is about it and nothing else. What was done is in the ledger, by id only; grants
// that have ended stay until their time is over, so that a code that comes back is still known. What it called stays as
// long as all usage does: it is billed by it.

import type { Statements } from '../store.js'
import { deleteOwnerships } from './application-owners.js'

/** Deletes the application with everything that hangs on the row; false when there is no such application. */
export async function deleteApplicationRows(tx: Statements, applicationId: string): Promise<boolean> {
  for (const table of [
    'user_consents',
    'token_exchanges',
    'redirect_confirmations',
    'application_owners',
    'consent_requests',
    'application_secrets',
    'redirect_uris',
    'configured_permissions',
    'installations',
    'permission_grants',
    'client_registrations',
    'client_documents',
    'federated_credentials',
    'device_codes',
    'call_approvals',
    'pending_requests',
    'permission_usage',
    'pkce_usage',
  ] as const) {
    await tx.deleteFrom(table).where('application_id', '=', applicationId).execute()
  }
  await tx.deleteFrom('token_exchanges').where('caller_id', '=', applicationId).execute()
  await deleteOwnerships(tx, applicationId)
  const removed = await tx.deleteFrom('applications').where('id', '=', applicationId).returning('id').executeTakeFirst()
  return removed !== undefined
}
