// Which plan each application was given, all in memory: the gate looks at it with every call. Kept right by the change
// log, whose entries say the plan themselves, so that a change needs no statement to be heard.

import type { AssignedPlan, AssignedPlans, PlanOverrides } from '../../limits/effective-plan.js'
import type { Change, Follower } from '../../storage/changes/feed.js'
import { readApplicationPlans } from '../../storage/sql/registrations/plans/plans.js'

/** Nothing assigned yet. Add it to the Feed before start(). An application without a row takes no memory. */
export function createAssignedPlans(): AssignedPlans & Follower {
  let byApplication = new Map<string, AssignedPlan>()
  /** Most applications of a plan have it as it is: they share one object, and what the limiter made of it. */
  const plain = new Map<string, AssignedPlan>()
  const assignedOf = (plan: string, overrides: string): AssignedPlan => {
    const parsed = readOverrides(overrides)
    if (Object.keys(parsed.limits).length > 0 || parsed.concurrent !== undefined) return { plan, overrides: parsed }
    const known = plain.get(plan) ?? { plan, overrides: parsed }
    plain.set(plan, known)
    return known
  }
  return {
    name: 'plans',
    get size() {
      return byApplication.size
    },
    of: (applicationId) => byApplication.get(applicationId),
    async load(snapshot) {
      const rows = await readApplicationPlans(snapshot)
      plain.clear()
      byApplication = new Map(rows.map((row) => [row.application_id, assignedOf(row.plan, row.overrides)]))
    },
    apply({ entry }: Change): void {
      if (entry.kind !== 'plan') return
      if (entry.plan === '' && entry.overrides === '') byApplication.delete(entry.applicationId)
      else byApplication.set(entry.applicationId, assignedOf(entry.plan, entry.overrides))
    },
  }
}

/** Empty: none. They were checked when they were written. */
export function readOverrides(column: string): PlanOverrides {
  return column === '' ? { limits: {} } : (JSON.parse(column) as PlanOverrides)
}
