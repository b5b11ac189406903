// What counts for one application: its plan, with the numbers that an operator gave it instead. Pure.

import type { PlanLimit, PlanRules } from '../config/plans/plan-settings.js'
import { quantity } from '../config/process/units.js'
import type { LimitPolicy } from '../config/settings/limit-settings.js'

/** Numbers as people write them, such as `600/min`: a rate with its burst, or a quota. */
export interface LimitNumbers {
  rate?: string
  burst?: number
  quota?: string
}

/** What one application has instead of its plan's numbers. */
export interface PlanOverrides {
  limits: Readonly<Record<string, LimitNumbers>>
  /** Requests under way at once. */
  concurrent?: number
}

/** What somebody said about an application. */
export interface AssignedPlan {
  /** Empty: nothing, so it has the default plan. */
  plan: string
  overrides: PlanOverrides
}

/** What all applications were given; those of which nobody said anything are not in it. */
export interface AssignedPlans {
  of(applicationId: string): AssignedPlan | undefined
  readonly size: number
}

/** What an application has now. */
export interface EffectivePlan {
  /** Undefined: no plan at all, only overrides. */
  name: string | undefined
  /** By name. */
  limits: ReadonlyMap<string, PlanLimit>
  concurrent: number | undefined
  /** Limits that were overridden for it and that nothing has any more. */
  forgotten: readonly string[]
}

export interface PlanBook extends PlanRules {
  limits: ReadonlyMap<string, LimitPolicy>
}

/**
 * The name of the plan that counts: of one that the configuration does not have any more it is the default one.
 * Undefined: there is none.
 */
export function planNameOf({ plans, defaultPlan }: PlanRules, assigned: AssignedPlan | undefined): string | undefined {
  const said = assigned?.plan ?? ''
  return plans.has(said) ? said : defaultPlan
}

/** Undefined: neither a plan nor an override counts for it. */
export function effectivePlan(book: PlanBook, assigned: AssignedPlan | undefined): EffectivePlan | undefined {
  const name = planNameOf(book, assigned)
  const plan = name === undefined ? undefined : book.plans.get(name)
  const overrides = assigned?.overrides
  const overridden = Object.entries(overrides?.limits ?? {})
  if (plan === undefined && overridden.length === 0 && overrides?.concurrent === undefined) return undefined
  const limits = new Map(plan?.limits ?? [])
  const forgotten: string[] = []
  for (const [limit, numbers] of overridden) {
    const changed = overriddenLimit(book, limits.get(limit), limit, numbers)
    if (changed === undefined) forgotten.push(limit)
    else limits.set(limit, changed)
  }
  return { name: plan?.name, limits, concurrent: overrides?.concurrent ?? plan?.concurrent, forgotten }
}

function overriddenLimit(
  { limits }: PlanBook,
  ofPlan: PlanLimit | undefined,
  name: string,
  numbers: LimitNumbers,
): PlanLimit | undefined {
  const policy = ofPlan?.policy ?? limits.get(name)
  if (policy?.by.includes('application') !== true) return undefined
  return { policy: { ...policy, plan: true, algorithm: algorithmOf(numbers) }, routes: ofPlan?.routes }
}

function algorithmOf({ rate, burst, quota }: LimitNumbers): LimitPolicy['algorithm'] {
  if (quota !== undefined) return { kind: 'quota', ...quantity.rate(quota) }
  const { limit, periodMs } = quantity.rate(rate ?? '1/s')
  return { kind: 'rate', limit, periodMs, burst: burst ?? Math.max(1, Math.ceil(limit / 10)) }
}
