// What a change of the configuration makes of plans: what each says, and which one counts for those that are on none.

import type { PlanSettings } from '../../config/plans/plan-settings.js'
import type { AccessRules } from './access-table.js'
import { listText, policyText } from './limit-changes.js'

export interface PlanChange {
  /** Null: which plan counts for applications that nobody put on one. */
  plan: string | null
  change: 'new' | 'gone' | 'changed'
  /** What it says otherwise, in words; null: nothing. Of one that is gone: which plan counts instead. */
  parts: readonly { name: string; before: string | null; after: string | null }[]
  /** So many applications have it now; null: nobody knows here. */
  applications: number | null
}

/** How many applications were put on each plan, and on none. */
export interface PlanCounts {
  byPlan: ReadonlyMap<string, number>
  unassigned: number
}

/** By name, in the order of the files; the plan of those that are on none comes last. */
export function planChanges(before: AccessRules, after: AccessRules, counts: PlanCounts | undefined): PlanChange[] {
  const names = new Set([...before.plans.keys(), ...after.plans.keys()])
  const changes = [...names].flatMap((plan) => {
    const change = changeOf(before, after, plan)
    if (change === undefined) return []
    return [{ plan, ...change, applications: counts === undefined ? null : (counts.byPlan.get(plan) ?? 0) }]
  })
  const whole = { name: 'default plan', before: before.defaultPlan ?? null, after: after.defaultPlan ?? null }
  if (whole.before === whole.after) return changes
  return [...changes, { plan: null, change: 'changed', parts: [whole], applications: counts?.unassigned ?? null }]
}

function changeOf(
  before: AccessRules,
  after: AccessRules,
  name: string,
): Pick<PlanChange, 'change' | 'parts'> | undefined {
  const [was, is] = [before.plans.get(name), after.plans.get(name)]
  if (is === undefined) {
    return { change: 'gone', parts: [{ name: 'counts instead', before: null, after: after.defaultPlan ?? null }] }
  }
  const [said, says] = [was === undefined ? new Map<string, string>() : partsOf(was, before), partsOf(is, after)]
  const parts = [...new Set([...said.keys(), ...says.keys()])]
    .map((part) => ({ name: part, before: said.get(part) ?? null, after: says.get(part) ?? null }))
    .filter((part) => part.before !== part.after)
  if (was === undefined) return { change: 'new', parts }
  return parts.length === 0 ? undefined : { change: 'changed', parts }
}

/** In words, by what they are about. */
function partsOf(plan: PlanSettings, { routes: all }: AccessRules): ReadonlyMap<string, string> {
  const parts = new Map<string, string>([
    ['describe', plan.describe],
    ['chosen by', plan.chosenBy],
  ])
  if (plan.concurrent !== undefined) parts.set('concurrent', String(plan.concurrent))
  for (const [name, { policy, routes }] of plan.limits) {
    parts.set(`limit ${name}`, policyText({ ...policy, plan: false }))
    // A route that comes to the others is no change of the plan.
    if (routes !== undefined && routes.size < all.length) parts.set(`routes of limit ${name}`, listText([...routes]))
  }
  return parts
}
