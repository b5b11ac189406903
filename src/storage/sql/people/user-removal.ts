// A person leaves: every row that is about them and nothing else. What was done is in the ledger, by id only.

import { deleteOwnerships } from '../registrations/application-owners.js'
import type { Statements } from '../store.js'

/** Deletes the user with everything that hangs on the row; false when there is no such user. */
export async function deleteUser(tx: Statements, userId: string): Promise<boolean> {
  for (const table of [
    'sessions',
    'passkeys',
    'recovery_codes',
    'external_identities',
    'one_time_links',
    'email_changes',
    'email_vouchers',
    'user_consents',
    'token_exchanges',
    'redirect_confirmations',
    'device_codes',
    'call_approvals',
    'memberships',
    'profiles',
  ] as const) {
    await tx.deleteFrom(table).where('user_id', '=', userId).execute()
  }
  await deleteOwnerships(tx, userId)
  await deleteWaitingRequests(tx, userId)
  const removed = await tx.deleteFrom('users').where('id', '=', userId).returning('id').executeTakeFirst()
  return removed !== undefined
}

/** Forgets every passkey and every linked provider of a person: ways in without a password. How many. */
export async function deleteWaysIn(tx: Statements, userId: string): Promise<number> {
  let deleted = 0
  for (const table of ['passkeys', 'external_identities'] as const) {
    const { numDeletedRows } = await tx.deleteFrom(table).where('user_id', '=', userId).executeTakeFirstOrThrow()
    deleted += Number(numDeletedRows)
  }
  return deleted
}

/**
 * Deletes what a person leaves behind in a tenant: the membership, the profile, the consents there, the word on their
 * address, what they own, and what waits for an administrator's decision. False: no membership.
 */
export async function deleteFromTenant(tx: Statements, userId: string, tenantId: string): Promise<boolean> {
  const tables = [
    ...(['user_consents', 'token_exchanges', 'call_approvals', 'redirect_confirmations'] as const),
    ...(['profiles', 'email_vouchers'] as const),
  ]
  for (const table of tables) {
    await tx.deleteFrom(table).where('user_id', '=', userId).where('tenant_id', '=', tenantId).execute()
  }
  await deleteOwnerships(tx, userId, tenantId)
  await deleteWaitingRequests(tx, userId, tenantId)
  const removed = await tx
    .deleteFrom('memberships')
    .where('user_id', '=', userId)
    .where('tenant_id', '=', tenantId)
    .returning('user_id')
    .executeTakeFirst()
  return removed !== undefined
}

/** Those that wait for an administrator of the tenant, or of any. */
async function deleteWaitingRequests(tx: Statements, userId: string, tenantId?: string): Promise<void> {
  const theirs = tx.deleteFrom('consent_requests').where('requested_by', '=', userId).where('state', '=', 'pending')
  await (tenantId === undefined ? theirs : theirs.where('tenant_id', '=', tenantId)).execute()
}
