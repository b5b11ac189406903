// A plan as the other rooms see it: checked, in milliseconds and units.

import type { Position } from '../read/position.js'
import type { LimitPolicy } from '../settings/limit-settings.js'

/** One limit of a plan. */
export interface PlanLimit {
  /** Under its name in the plan, which bucket and answers have too. */
  policy: LimitPolicy
  /** The ids of the routes on which it counts; undefined: it stands in place of the limit of that name. */
  routes: ReadonlySet<string> | undefined
}

export interface PlanSettings {
  name: string
  describe: string
  chosenBy: 'developers' | 'administrators' | 'operators'
  limits: ReadonlyMap<string, PlanLimit>
  /** Requests under way at once; undefined: no bound of the plan's. */
  concurrent: number | undefined
  position: Position
}

/** All plans, and which one an application has of which nobody said anything. */
export interface PlanRules {
  plans: ReadonlyMap<string, PlanSettings>
  defaultPlan: string | undefined
}
