// Whose hand may put an application on a plan, and take it away from one. Pure.

import type { PlanRules, PlanSettings } from '../../config/plans/plan-settings.js'
import { nearestName } from '../../config/report/suggest.js'
import { DirectoryRefusal } from '../refusal.js'

/** How far the word of a caller goes. Developers are those who may change the application. */
export type PlanAuthority = PlanSettings['chosenBy']

const levels: Record<PlanAuthority, number> = { developers: 0, administrators: 1, operators: 2 }

/** Whether somebody with this authority may put applications on the plan. */
export function mayChoose({ chosenBy }: Pick<PlanSettings, 'chosenBy'>, authority: PlanAuthority): boolean {
  return levels[authority] >= levels[chosenBy]
}

/** The plan of that name. Throws DirectoryRefusal (UnknownPlan) with the nearest, or with those that there are. */
export function requirePlan({ plans }: PlanRules, name: string): PlanSettings {
  const plan = plans.get(name)
  if (plan !== undefined) return plan
  const known = [...plans.keys()]
  const nearest = nearestName(name, known)
  const all = known.length === 0 ? 'This server has no plans.' : `There are ${known.join(', ')}.`
  const there = nearest === undefined ? all : `The nearest is ${JSON.stringify(nearest)}. ${all}`
  throw new DirectoryRefusal('UnknownPlan', `There is no plan ${JSON.stringify(name)}. ${there}`, 'plan')
}

/**
 * Throws DirectoryRefusal (PlanNeedsApproval) for a plan that is not theirs to choose, and for one that is not theirs
 * to leave: who put an application on it, to give it more or less than others, decides when that ends.
 */
export function checkMayChange(
  rules: PlanRules,
  change: { from: string; to: string | undefined },
  authority: PlanAuthority,
): void {
  const from = rules.plans.get(change.from)
  const to = change.to === undefined ? undefined : requirePlan(rules, change.to)
  for (const plan of [to, from]) {
    if (plan === undefined || mayChoose(plan, authority)) continue
    const who = plan.chosenBy === 'operators' ? 'an operator of this server' : 'an administrator of your organisation'
    const verb = plan === to ? 'puts applications on' : 'takes applications off'
    const message = `Only ${who} ${verb} the plan ${plan.name}: request the change, and they decide.`
    throw new DirectoryRefusal('PlanNeedsApproval', message, 'plan')
  }
}
