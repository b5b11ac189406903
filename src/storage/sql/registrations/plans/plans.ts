// Plans of applications.

import type { Tables } from '../../rows/tables.js'
import type { Statements } from '../../store.js'

export type ApplicationPlanRow = Tables['application_plans']

/** What was said about an application; undefined: nothing. */
export async function readApplicationPlan(
  statements: Statements,
  applicationId: string,
): Promise<ApplicationPlanRow | undefined> {
  return statements
    .selectFrom('application_plans')
    .selectAll()
    .where('application_id', '=', applicationId)
    .executeTakeFirst()
}

/** All of them. */
export async function readApplicationPlans(
  statements: Statements,
): Promise<Pick<ApplicationPlanRow, 'application_id' | 'plan' | 'overrides'>[]> {
  return statements.selectFrom('application_plans').select(['application_id', 'plan', 'overrides']).execute()
}

/** Adds it, or puts it in the place of the one before. */
export async function putApplicationPlan(tx: Statements, row: ApplicationPlanRow): Promise<void> {
  const { plan, overrides, updated_at } = row
  await tx
    .insertInto('application_plans')
    .values(row)
    .onConflict((conflict) => conflict.column('application_id').doUpdateSet({ plan, overrides, updated_at }))
    .execute()
}

/** Nobody said anything any more. */
export async function deleteApplicationPlan(tx: Statements, applicationId: string): Promise<void> {
  await tx.deleteFrom('application_plans').where('application_id', '=', applicationId).execute()
}
