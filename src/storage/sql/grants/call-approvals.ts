// Queries of single calls that a person has to approve. Each step happens once: a request is made, decided and used by
// conditions in the statement itself.

import type { Selectable } from 'kysely'
import type { Tables } from '../rows/tables.js'
import type { Statements } from '../store.js'

/** A request as it is stored. */
export type CallApprovalRow = Selectable<Tables['call_approvals']>

/** Adds a request in place of an expired one for the same call; false: there is one already. */
export async function insertCallApproval(tx: Statements, row: Tables['call_approvals']): Promise<boolean> {
  await tx
    .updateTable('call_approvals')
    .set({ call_key: null, body: '' })
    .where('call_key', '=', row.call_key)
    .where('expires_at', '<=', row.created_at)
    .execute()
  const inserted = await tx
    .insertInto('call_approvals')
    .values(row)
    .onConflict((conflict) => conflict.column('call_key').doNothing())
    .returning('id')
    .executeTakeFirst()
  return inserted !== undefined
}

/** The request by its id, or by its call where it was not used. */
export function findCallApproval(
  statements: Statements,
  by: { id: string } | { callKey: string },
): Promise<CallApprovalRow | undefined> {
  const query = statements.selectFrom('call_approvals').selectAll()
  return ('id' in by ? query.where('id', '=', by.id) : query.where('call_key', '=', by.callKey)).executeTakeFirst()
}

/** How many wait, of all that are named: a person, an application, a tenant. */
export async function countWaitingApprovals(
  statements: Statements,
  of: { userId?: string; applicationId?: string; tenantId?: string },
  nowMs: number,
): Promise<number> {
  const { userId, applicationId, tenantId } = of
  let query = statements
    .selectFrom('call_approvals')
    .select((eb) => eb.fn.countAll().as('count'))
    .where('state', '=', 'pending')
    .where('expires_at', '>', nowMs)
  if (userId !== undefined) query = query.where('user_id', '=', userId)
  if (applicationId !== undefined) query = query.where('application_id', '=', applicationId)
  if (tenantId !== undefined) query = query.where('tenant_id', '=', tenantId)
  return Number((await query.executeTakeFirst())?.count ?? 0)
}

/** Moves it on; true exactly once. What it was about is forgotten; once used, its call may be requested again. */
export async function moveCallApproval(
  tx: Statements,
  id: string,
  move: { to: 'allowed' | 'refused'; nowMs: number; expiresAt: number } | { to: 'used'; nowMs: number },
): Promise<boolean> {
  const { to, nowMs } = move
  const change =
    to === 'used'
      ? { state: to, body: '', call_key: null }
      : { state: to, body: '', decided_at: nowMs, expires_at: move.expiresAt }
  const updated = await tx
    .updateTable('call_approvals')
    .set(change)
    .where('id', '=', id)
    .where('state', '=', to === 'used' ? 'allowed' : 'pending')
    .where('expires_at', '>', nowMs)
    .executeTakeFirst()
  return Number(updated.numUpdatedRows) === 1
}
