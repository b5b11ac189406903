// What an application has used of the limits that count for it: those of its plan, and those of routes that count by
// application. Looked at, never charged. What is counted by user or route too has no one number to show.

import type { FastifyInstance } from 'fastify'
import type { PlanLimit } from '../../config/plans/plan-settings.js'
import type { LimitPolicy } from '../../config/settings/limit-settings.js'
import { DirectoryRefusal } from '../../directory/refusal.js'
import { effectivePlan } from '../../limits/effective-plan.js'
import { limitFacts } from '../../limits/refusal-words.js'
import type { BucketState } from '../../storage/counters/counters.js'
import { callerOf, requires } from '../access/access.js'
import type { ManagementDependencies } from '../dependencies.js'
import { plannedApplicationId } from './plan-authority.js'
import { type PlanAnswer, planAnswers } from './plan-schemas.js'

type Line = PlanAnswer<'planUsage'>['value'][number]

/** A limit that counts for the application. */
interface Counted {
  policy: LimitPolicy
  /** See PlanLimit; of a limit that is no plan's undefined. */
  routes: PlanLimit['routes']
}

/** `GET /applications/{id}/planUsage` */
export function planUsageRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  app.get<{ Params: { id: string } }>(
    '/applications/:id/planUsage',
    { config: requires('Usage.Read.All'), schema: { response: { 200: planAnswers.planUsage } } },
    async (request) => {
      const applicationId = await plannedApplicationId(deps.store, callerOf(request), request.params.id)
      return planUsage(deps, applicationId)
    },
  )
}

async function planUsage(deps: ManagementDependencies, applicationId: string): Promise<PlanAnswer<'planUsage'>> {
  const { directory, limiter, settings } = deps
  const registration = await directory.findRegistration(applicationId)
  if (registration === undefined) throw new DirectoryRefusal('ApplicationNotFound', 'There is no such application.')
  const { tenantId } = registration
  const effective = limiter.planOf(applicationId) ?? effectivePlan(settings, undefined)
  const plan = effective?.name ?? null
  const counted = countedFor(settings, effective?.limits ?? new Map())
  const ofPlan = await limiter.peekPlan({ applicationId, tenantId })
  const value = counted.map(async ({ policy, routes }): Promise<Line> => {
    const { name } = policy
    const look = routes === undefined ? await limiter.peek([name], { applicationId, tenantId }) : ofPlan
    const at = look.policies.findIndex((one) => one.name === name)
    return lineOf(
      { policy, routes },
      policy.plan === true ? plan : null,
      isShared(policy) ? undefined : look.states[at],
    )
  })
  return { plan, concurrent: effective?.concurrent ?? null, value: await Promise.all(value) }
}

/** Those of the plan, then those of routes in their order of names. */
function countedFor(
  { limits, routes }: Pick<ManagementDependencies['settings'], 'limits' | 'routes'>,
  ofPlan: ReadonlyMap<string, PlanLimit>,
): Counted[] {
  const named = [...new Set(routes.flatMap((route) => route.limits))].sort()
  const others = named.flatMap((name) => {
    const policy = limits.get(name)
    return policy?.by.includes('application') === true && !ofPlan.has(name) ? [{ policy, routes: undefined }] : []
  })
  return [...ofPlan.values(), ...others]
}

/** Counted for each person or route by itself. */
function isShared({ by }: LimitPolicy): boolean {
  return by.includes('user') || by.includes('route') || by.includes('address')
}

function lineOf({ policy, routes }: Counted, plan: string | null, state: BucketState | undefined): Line {
  const { by, ...facts } = limitFacts(policy)
  return {
    ...facts,
    by: [...by],
    plan,
    routes: routes === undefined ? null : [...routes],
    remaining: state?.remaining ?? null,
    resetSeconds: state === undefined ? null : Math.ceil(state.resetMs / 1000),
  }
}
