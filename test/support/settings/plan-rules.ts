// Plans for tests: one for each hand that may choose it.

import type { PlanRules, PlanSettings } from '../../../src/config/plans/plan-settings.js'

/** A plan with one limit by application, `daily`, on these routes. */
export function planOf(
  name: string,
  chosenBy: PlanSettings['chosenBy'],
  more: { quota?: number; routes?: readonly string[]; mode?: 'strict' | 'leased' | 'local'; concurrent?: number } = {},
): PlanSettings {
  const { quota = 10, routes = [], mode = 'local', concurrent } = more
  const algorithm = { kind: 'quota', limit: quota, periodMs: 86_400_000 } as const
  const policy = { name: 'daily', by: ['application'], algorithm, mode, plan: true } as const
  return {
    name,
    describe: `The plan ${name}`,
    chosenBy,
    limits: new Map([['daily', { policy, routes: new Set(routes) }]]),
    concurrent,
    position: { file: 'portcullis.yaml', line: 1, column: 1 },
  }
}

/** Several as rules. */
export function planRules(plans: readonly PlanSettings[], defaultPlan?: string): PlanRules {
  return { plans: new Map(plans.map((plan) => [plan.name, plan])), defaultPlan }
}

/** `free`, `team` and `partner`, for developers, administrators and operators. */
export const threePlans = planRules([
  planOf('free', 'developers'),
  planOf('team', 'administrators', { quota: 100 }),
  planOf('partner', 'operators', { quota: 1000 }),
])
