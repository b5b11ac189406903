// Requests for plans that nobody has decided yet.

import type { Tables } from '../../rows/tables.js'
import type { Statements } from '../../store.js'

export type PlanRequestRow = Tables['plan_requests']

/** Open requests, with the name of the application: of all tenants or one, of one application, or one by its id. */
export async function readPlanRequests(
  statements: Statements,
  of: { tenantId?: string | undefined; applicationId?: string | undefined; id?: string | undefined },
  most: number,
): Promise<(PlanRequestRow & { name: string })[]> {
  let query = statements
    .selectFrom('plan_requests')
    .innerJoin('applications', 'applications.id', 'plan_requests.application_id')
    .selectAll('plan_requests')
    .select('applications.name')
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

/** Whether there was one. */
export async function deletePlanRequest(
  tx: Statements,
  of: { id: string } | { applicationId: string },
): Promise<boolean> {
  const all = tx.deleteFrom('plan_requests')
  const those = 'id' in of ? all.where('id', '=', of.id) : all.where('application_id', '=', of.applicationId)
  const deleted = await those.executeTakeFirst()
  return Number(deleted.numDeletedRows) > 0
}
