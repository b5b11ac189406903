// Requests for plans: those that nobody has decided yet, and those that were declined.

import type { Tables } from '../../rows/tables.js'
import type { Statements } from '../../store.js'

export type PlanRequestRow = Tables['plan_requests']

/** Open requests, or declined ones, with the name of the application: of all tenants or one, of one application, or one by its id. */
export async function readPlanRequests(
  statements: Statements,
  of: { tenantId?: string | undefined; applicationId?: string | undefined; id?: string | undefined },
  most: number,
  state: 'open' | 'declined' = 'open',
): Promise<(PlanRequestRow & { name: string })[]> {
  let query = statements
    .selectFrom('plan_requests')
    .innerJoin('applications', 'applications.id', 'plan_requests.application_id')
    .selectAll('plan_requests')
    .select('applications.name')
    .where('plan_requests.declined_at', state === 'open' ? '=' : '>', 0)
  if (of.tenantId !== undefined) query = query.where('plan_requests.tenant_id', '=', of.tenantId)
  if (of.applicationId !== undefined) query = query.where('plan_requests.application_id', '=', of.applicationId)
  if (of.id !== undefined) query = query.where('plan_requests.id', '=', of.id)
  return query.orderBy('plan_requests.requested_at').orderBy('plan_requests.id').limit(most).execute()
}

/** Adds it, or puts it in the place of the one that the application had. */
export async function putPlanRequest(tx: Statements, row: PlanRequestRow): Promise<void> {
  const { application_id: _, ...said } = row
  await tx
    .insertInto('plan_requests')
    .values(row)
    .onConflict((conflict) => conflict.column('application_id').doUpdateSet(said))
    .execute()
}

/** Takes away what an application requested, and what became of it. */
export async function deletePlanRequest(tx: Statements, applicationId: string): Promise<void> {
  await tx.deleteFrom('plan_requests').where('application_id', '=', applicationId).execute()
}
