// Plans: which there are, which one an application has, and the requests for those that its developers may not choose.

import type { FastifyInstance, FastifyRequest } from 'fastify'
import { changePlan } from '../../directory/plans/plan-changes.js'
import {
  decidePlanRequest,
  filePlanRequest,
  listPlanRequests,
  withdrawPlanRequest,
} from '../../directory/plans/plan-requests.js'
import { DirectoryRefusal } from '../../directory/refusal.js'
import { ApiError } from '../../http/answers/api-error.js'
import { type Caller, callerOf, requires } from '../access/access.js'
import { writesOf } from '../access/origin.js'
import { ownApplicationId, owns, ownTenantId } from '../access/ownership.js'
import { applicationWrites } from '../applications/application-writes.js'
import { changeWrites } from '../applications/change-request.js'
import type { ManagementDependencies } from '../dependencies.js'
import { isOperator } from '../people/tenant-of-path.js'
import { applicationPlanAnswer, planAnswer, planRequestAnswer } from './plan-answers.js'
import { planAuthorityOf, plannedApplicationId } from './plan-authority.js'
import { type PlanBody, planAnswers, planBodies, planQueries } from './plan-schemas.js'
import { planUsageRoutes } from './plan-usage.js'
import { planUseRoutes } from './plan-use.js'

type OfApplication = { Params: { id: string } }

/** `GET /plans`, `GET|PUT /applications/{id}/plan`, and what planRequestRoutes, planUseRoutes and planUsageRoutes add. */
export function planRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  const { settings } = deps
  app.get(
    '/plans',
    { config: requires('Application.Read.All'), schema: { response: { 200: planAnswers.plans } } },
    async (request) => {
      const { catalogue, defaultPlan, plans } = settings
      const about = { defaultPlan, authority: planAuthorityOf(catalogue, callerOf(request)) }
      return { value: [...plans.values()].map((plan) => planAnswer(plan, about)) }
    },
  )
  app.get<OfApplication>(
    '/applications/:id/plan',
    { config: requires('Application.Read.All'), schema: { response: { 200: planAnswers.applicationPlan } } },
    async (request) => {
      const caller = callerOf(request)
      const applicationId = await plannedApplicationId(deps.store, caller, request.params.id)
      return applicationPlanAnswer(deps, applicationId, planAuthorityOf(settings.catalogue, caller))
    },
  )
  app.put<OfApplication & { Body: PlanBody<'change'> }>(
    '/applications/:id/plan',
    {
      config: requires('Application.ReadWrite.All'),
      schema: { body: planBodies.change, response: { 200: planAnswers.applicationPlan } },
    },
    async (request) => {
      const caller = callerOf(request)
      const authority = planAuthorityOf(settings.catalogue, caller)
      const applicationId = await plannedApplicationId(deps.store, caller, request.params.id)
      const { plan, overrides } = request.body
      if (overrides !== undefined && authority !== 'operators') throw operatorsOnly()
      // An operator's word is about the plan; whose the application is does not matter to it.
      const writes =
        authority === 'operators'
          ? applicationWrites(deps, request, applicationId)
          : await changeWrites(deps, request, applicationId)
      const numbers = overrides === undefined ? undefined : { ...overrides, limits: overrides.limits ?? {} }
      await changePlan(writes, settings, applicationId, { plan, overrides: numbers, authority })
      return applicationPlanAnswer(deps, applicationId, authority)
    },
  )
  planRequestRoutes(app, deps)
  planUseRoutes(app, deps)
  planUsageRoutes(app, deps)
}

/** `POST|DELETE /applications/{id}/planRequest`, `GET /planRequests`, `POST /planRequests/{id}/approve|decline`. */
function planRequestRoutes(app: FastifyInstance, deps: ManagementDependencies): void {
  const { settings } = deps
  app.post<OfApplication & { Body: PlanBody<'request'> }>(
    '/applications/:id/planRequest',
    {
      config: requires('Application.ReadWrite.All'),
      schema: { body: planBodies.request, response: { 200: planAnswers.applicationPlan } },
    },
    async (request) => {
      const caller = callerOf(request)
      const applicationId = await ownApplicationId(deps.store, caller, request.params.id)
      const writes = await changeWrites(deps, request, applicationId)
      const { plan, reason = '' } = request.body
      await filePlanRequest(writes, settings, { applicationId, plan, reason })
      return applicationPlanAnswer(deps, applicationId, planAuthorityOf(settings.catalogue, caller))
    },
  )
  app.delete<OfApplication>(
    '/applications/:id/planRequest',
    { config: requires('Application.ReadWrite.All') },
    async (request, reply) => {
      const applicationId = await ownApplicationId(deps.store, callerOf(request), request.params.id)
      const wasThere = await withdrawPlanRequest(await changeWrites(deps, request, applicationId), applicationId)
      if (!wasThere) throw new DirectoryRefusal('PlanRequestNotFound', 'No request of this application is open.')
      return reply.code(204).send()
    },
  )
  // An operator need not have a role in a tenant; what others see and decide is checked beside it.
  app.get<{ Querystring: { tenantId?: string } }>(
    '/planRequests',
    {
      config: requires('Tenant.Read.All'),
      schema: { querystring: planQueries.requests, response: { 200: planAnswers.requests } },
    },
    async (request) => {
      const caller = callerOf(request)
      const tenantId = isOperator(caller) ? request.query.tenantId : ownTenantId(caller, request.query.tenantId)
      const requests = await listPlanRequests(deps.store.reader, { tenantId: tenantId?.toLowerCase() })
      const authority = planAuthorityOf(settings.catalogue, caller)
      const shown =
        authority === 'developers' ? requests.filter(({ requestedBy }) => isBy(caller, requestedBy)) : requests
      return { value: shown.map(planRequestAnswer) }
    },
  )
  for (const verb of ['approve', 'decline'] as const) {
    app.post<OfApplication & { Body: PlanBody<'decline'> | undefined }>(
      `/planRequests/:id/${verb}`,
      {
        config: requires('Tenant.Read.All'),
        schema: { response: { 200: planAnswers.request }, ...(verb === 'decline' ? { body: planBodies.decline } : {}) },
        preValidation: noBodyIsEmpty,
      },
      async (request) => {
        const caller = callerOf(request)
        const authority = planAuthorityOf(settings.catalogue, caller)
        if (authority === 'developers') throw decidersOnly()
        const mayDecide = (tenantId: string) => {
          if (authority === 'operators' || owns(caller, tenantId)) return
          throw new DirectoryRefusal('PlanRequestNotFound', 'There is no such request.')
        }
        const decision = { approve: verb === 'approve', authority, mayDecide, answer: request.body?.reason }
        return planRequestAnswer(
          await decidePlanRequest(writesOf(deps, request), settings, request.params.id, decision),
        )
      },
    )
  }
}

/** Declining without a word has no body. */
async function noBodyIsEmpty(request: FastifyRequest): Promise<void> {
  request.body ??= {}
}

function isBy(caller: Caller, requestedBy: string): boolean {
  if (caller.kind === 'local') return true
  const { person, principal } = caller
  const own = person?.userId ?? (principal.kind === 'application' ? principal.applicationId : undefined)
  return own === requestedBy
}

function operatorsOnly(): ApiError {
  const message = 'Only an operator of this server gives one application other numbers than its plan has.'
  return new ApiError(403, 'OperatorRequired', message, { target: 'overrides' })
}

function decidersOnly(): ApiError {
  const message = 'Requests for plans are decided by administrators of the organisation and operators of this server.'
  return new ApiError(403, 'RoleRequired', message, { more: { role: 'administrator' } })
}
