// Who uses which plan, for operators: before a plan is changed or taken out of the configuration.

import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import type { PlanRules } from '../../config/plans/plan-settings.js'
import {
  countApplicationPlans,
  countApplications,
  listPlanApplications,
} from '../../storage/sql/registrations/plans/plan-use.js'
import { requires } from '../access/access.js'
import { pageOf } from '../answers/page-of.js'
import type { ManagementDependencies } from '../dependencies.js'
import { planAnswer } from './plan-answers.js'
import { type PlanAnswer, planAnswers, planQueries } from './plan-schemas.js'

/** `GET /planUse` and `GET /planUse/applications`. */
export function planUseRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  const { store, pagingKey } = deps
  app.get(
    '/planUse',
    { config: requires('Server.Read', 'operator'), schema: { response: { 200: planAnswers.planUse } } },
    async () => planUse(deps),
  )
  app.get<{ Querystring: Static<typeof planQueries.applications> }>(
    '/planUse/applications',
    {
      config: requires('Server.Read', 'operator'),
      schema: { querystring: planQueries.applications, response: { 200: planAnswers.planApplications } },
    },
    async ({ query }) => {
      const { plan, ...page } = query
      const list = `plan ${plan}` as const
      const { rows, more } = await pageOf(
        pagingKey,
        { path: '/planUse/applications', list, narrowedBy: { plan }, query: page },
        ({ limit, after }) => listPlanApplications(store.reader, { plan, after: after?.id, limit }),
        ({ id }) => ({ name: '', id }),
      )
      const value = rows.map(({ id, name, tenantId, tenantName, overrides }) => ({
        applicationId: id,
        name,
        tenantId,
        tenantName,
        overridden: overrides !== '',
      }))
      return { value, ...more }
    },
  )
}

/** The plans of the configuration in its order, then those that are gone and that applications were put on. */
async function planUse({
  store,
  settings,
}: Pick<ManagementDependencies, 'store'> & { settings: PlanRules }): Promise<PlanAnswer<'planUse'>> {
  const { counted, all } = await store.snapshot(async (tx) => ({
    counted: await countApplicationPlans(tx),
    all: await countApplications(tx),
  }))
  const assigned = counted.filter(({ plan }) => plan !== '')
  const names = new Set([...settings.plans.keys(), ...assigned.map(({ plan }) => plan)])
  const value = [...names].map((plan) => {
    const { applications = 0, overridden = 0 } = assigned.find((one) => one.plan === plan) ?? {}
    const found = settings.plans.get(plan)
    const about = { defaultPlan: settings.defaultPlan, authority: 'operators' } as const
    const definition = found === undefined ? null : planAnswer(found, about)
    return {
      plan,
      defined: found !== undefined,
      default: plan === settings.defaultPlan,
      applications,
      overridden,
      definition,
    }
  })
  return { value, unassigned: all - assigned.reduce((sum, { applications }) => sum + applications, 0) }
}
