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

/** How many applications were put on each plan, by its name (empty: only overrides), and of how many with overrides. */
export async function countApplicationPlans(
  statements: Statements,
): Promise<{ plan: string; applications: number; overridden: number }[]> {
  const rows = await statements
    .selectFrom('application_plans')
    .select(({ fn, eb }) => [
      'plan',
      fn.countAll().as('applications'),
      fn.sum(eb.case().when('overrides', '=', '').then(0).else(1).end()).as('overridden'),
    ])
    .groupBy('plan')
    .orderBy('plan')
    .execute()
  return rows.map(({ plan, applications, overridden }) => ({
    plan,
    applications: Number(applications),
    overridden: Number(overridden),
  }))
}

/** Of all tenants, with a plan or without. */
export async function countApplications(statements: Statements): Promise<number> {
  const counted = statements.selectFrom('applications').select(({ fn }) => fn.countAll().as('applications'))
  return Number((await counted.executeTakeFirstOrThrow()).applications)
}

/** Those that were put on a plan, in the order of their identifiers. */
export async function listPlanApplications(
  statements: Statements,
  { plan, after, limit }: { plan: string; after: string | undefined; limit: number },
): Promise<{ id: string; name: string; tenantId: string; tenantName: string; overrides: string }[]> {
  return statements
    .selectFrom('application_plans')
    .innerJoin('applications', 'applications.id', 'application_plans.application_id')
    .innerJoin('tenants', 'tenants.id', 'applications.tenant_id')
    .select([
      'applications.id',
      'applications.name',
      'applications.tenant_id as tenantId',
      'tenants.name as tenantName',
      'application_plans.overrides',
    ])
    .where('application_plans.plan', '=', plan)
    .where('application_plans.application_id', '>', after ?? '')
    .orderBy('application_plans.application_id')
    .limit(limit)
    .execute()
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
