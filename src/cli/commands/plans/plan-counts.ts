// How many applications are on each plan, for commands that say what a change of plans concerns.

import type { PlanCounts } from '../../../gateway/diff/plan-changes.js'
import type { PlanAnswer } from '../../../management/plans/plan-schemas.js'
import type { LocalClient } from '../../calls/local-client.js'
import { CommandFailure, exitCodes } from '../../output/exit.js'

/** How many applications are on each plan. Undefined where no server runs. Throws CommandFailure for all else. */
export async function planCountsOf(client: LocalClient): Promise<PlanCounts | undefined> {
  try {
    const { value, unassigned } = (await client.call('GET', '/planUse')) as PlanAnswer<'planUse'>
    return { byPlan: new Map(value.map(({ plan, applications }) => [plan, applications])), unassigned }
  } catch (error) {
    if (error instanceof CommandFailure && error.exitCode === exitCodes.unreachable) return undefined
    throw error
  }
}
