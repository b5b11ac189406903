// Plans that the configuration does not have any more, while applications are still on them.

import type { PlanRules } from '../../config/plans/plan-settings.js'
import { countPlansBeyond, listPlanApplications } from '../../storage/sql/registrations/plans/plan-use.js'
import type { Statements } from '../../storage/sql/store.js'

export interface GonePlan {
  plan: string
  /** How many are on it. */
  applications: number
  /** The plan that counts for them meanwhile; null: none, so limits count for them as they do for all. */
  instead: string | null
  /** The first of them, by their identifiers. */
  some: { applicationId: string; name: string; tenantId: string }[]
}

const mostPlans = 20
const mostNamed = 5

/** By name, at most 20, each with five applications at most. Throws StoreUnavailable. */
export async function readGonePlans(statements: Statements, { plans, defaultPlan }: PlanRules): Promise<GonePlan[]> {
  const counted = await countPlansBeyond(statements, { known: plans.keys(), limit: mostPlans })
  const found: GonePlan[] = []
  for (const { plan, applications } of counted) {
    const rows = await listPlanApplications(statements, { plan, after: undefined, limit: mostNamed })
    const some = rows.map(({ id, name, tenantId }) => ({ applicationId: id, name, tenantId }))
    found.push({ plan, applications, instead: defaultPlan ?? null, some })
  }
  return found
}
