// Numbers that an operator gives one application instead of those of its plan.

import type { PlanRules } from '../../config/plans/plan-settings.js'
import type { LimitPolicy } from '../../config/settings/limit-settings.js'
import { effectivePlan, type LimitNumbers, type PlanOverrides } from '../../limits/effective-plan.js'
import { DirectoryRefusal } from '../refusal.js'

/** Of one application. */
const mostOverrides = 16

/**
 * Throws DirectoryRefusal (InvalidOverride) for a limit that neither the plan nor the configuration has, and for numbers
 * of another kind: a quota stays a quota of the same period, so that what was used counts on.
 */
export function checkOverrides(
  rules: PlanRules & { limits: ReadonlyMap<string, LimitPolicy> },
  plan: string,
  { limits }: PlanOverrides,
): void {
  const names = Object.keys(limits)
  if (names.length > mostOverrides) throw invalid(`An application has ${mostOverrides} overrides at most.`)
  const effective = effectivePlan(rules, { plan, overrides: { limits } })
  for (const [name, numbers] of Object.entries(limits)) {
    const policy = rules.plans.get(effective?.name ?? '')?.limits.get(name)?.policy ?? rules.limits.get(name)
    if (policy === undefined || effective?.forgotten.includes(name) === true) {
      throw invalid(`No limit ${JSON.stringify(name)} by application counts for this application.`)
    }
    checkNumbers(policy, numbers, effective?.limits.get(name)?.policy.algorithm.periodMs)
  }
}

/** As the Store has them; empty: none. */
export function overridesColumn({ limits, concurrent }: PlanOverrides): string {
  if (Object.keys(limits).length === 0 && concurrent === undefined) return ''
  const sorted = Object.entries(limits).sort(([one], [other]) => (one < other ? -1 : 1))
  return JSON.stringify({ limits: Object.fromEntries(sorted), ...(concurrent === undefined ? {} : { concurrent }) })
}

function checkNumbers({ name, algorithm }: LimitPolicy, numbers: LimitNumbers, periodMs: number | undefined): void {
  const { rate, burst, quota } = numbers
  if ((rate === undefined) === (quota === undefined)) throw invalid(`Say either a rate or a quota for ${name}.`)
  if (quota !== undefined && burst !== undefined) throw invalid(`A burst belongs to a rate; ${name} has a quota.`)
  const kind = rate === undefined ? 'quota' : 'rate'
  if (kind !== algorithm.kind) throw invalid(`${name} is a ${algorithm.kind}: give it other numbers, not a ${kind}.`)
  if (periodMs !== algorithm.periodMs) {
    throw invalid(
      `${name} counts in periods of ${algorithm.periodMs / 1000} s: give it another number for that period.`,
    )
  }
}

function invalid(message: string): DirectoryRefusal {
  return new DirectoryRefusal('InvalidOverride', message, 'overrides')
}
