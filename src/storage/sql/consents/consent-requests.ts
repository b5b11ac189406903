// Queries of requests for an administrator's consent. Deciding one is a single statement that works while it is
// pending: of two administrators at once, one decides.

import type { Tables } from '../rows/tables.js'
import type { Statements } from '../store.js'

export type ConsentRequestRow = Tables['consent_requests']

/** Adds a request. */
export async function insertConsentRequest(tx: Statements, row: ConsentRequestRow): Promise<void> {
  await tx.insertInto('consent_requests').values(row).execute()
}

/** Gives a pending request its newest list and reason, under a new id; false when it is not pending. */
export async function renewConsentRequest(
  tx: Statements,
  id: string,
  changes: Pick<ConsentRequestRow, 'id' | 'permissions' | 'reason'>,
): Promise<boolean> {
  const row = await tx
    .updateTable('consent_requests')
    .set(changes)
    .where('id', '=', id)
    .where('state', '=', 'pending')
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** Absent: everything. */
export interface ConsentRequestFilter {
  id?: string | undefined
  tenantIds?: readonly string[] | undefined
  applicationId?: string | undefined
  requestedBy?: string | undefined
  state?: 'pending' | 'approved' | 'declined' | undefined
}

/** The newest requests that fit every column given, newest first. `tenantIds` empty: none. */
export async function listConsentRequests(
  statements: Statements,
  filter: ConsentRequestFilter,
  limit: number,
): Promise<ConsentRequestRow[]> {
  const { id, tenantIds, applicationId, requestedBy, state } = filter
  if (tenantIds?.length === 0) return []
  let query = statements.selectFrom('consent_requests').selectAll()
  if (id !== undefined) query = query.where('id', '=', id)
  if (tenantIds !== undefined) query = query.where('tenant_id', 'in', [...tenantIds])
  if (applicationId !== undefined) query = query.where('application_id', '=', applicationId)
  if (requestedBy !== undefined) query = query.where('requested_by', '=', requestedBy)
  if (state !== undefined) query = query.where('state', '=', state)
  return query.orderBy('created_at', 'desc').orderBy('id').limit(limit).execute()
}

/** Approves or declines; undefined when somebody else was first. */
export async function decideConsentRequest(
  tx: Statements,
  id: string,
  decision: { state: 'approved' | 'declined'; decided_at: number; decided_by: string },
): Promise<ConsentRequestRow | undefined> {
  return tx
    .updateTable('consent_requests')
    .set(decision)
    .where('id', '=', id)
    .where('state', '=', 'pending')
    .returningAll()
    .executeTakeFirst()
}
