// Which applications were put on which plan.

import type { Statements } from '../../store.js'

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

/** The same for plans beyond `known`, by name, at most `limit`; of overrides nothing. */
export async function countPlansBeyond(
  statements: Statements,
  { known, limit }: { known: Iterable<string>; limit: number },
): Promise<{ plan: string; applications: number }[]> {
  const rows = await statements
    .selectFrom('application_plans')
    .select(({ fn }) => ['plan', fn.countAll().as('applications')])
    .where('plan', 'not in', ['', ...known])
    .groupBy('plan')
    .orderBy('plan')
    .limit(limit)
    .execute()
  return rows.map(({ plan, applications }) => ({ plan, applications: Number(applications) }))
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
