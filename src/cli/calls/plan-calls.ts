// The part of the management API that is about plans, as the commands use it.

import type { PlanAnswer, PlanBody } from '../../management/plans/plan-schemas.js'
import type { LocalClient } from './local-client.js'
import { segmentOf } from './management-calls.js'
import { wholeList } from './whole-list.js'

/** What counts for one application. */
export type ApplicationPlan = PlanAnswer<'applicationPlan'>
export type Plan = PlanAnswer<'plans'>['value'][number]
export type PlanRequest = PlanAnswer<'request'>

/** The calls about plans. `application` is an application id, a public key or an exact name. */
export interface PlanCalls {
  plans(): Promise<Plan[]>
  use(): Promise<PlanAnswer<'planUse'>>
  applicationsOf(plan: string): Promise<PlanAnswer<'planApplications'>['value']>
  planOf(application: string): Promise<ApplicationPlan>
  change(application: string, body: PlanBody<'change'>): Promise<ApplicationPlan>
  request(application: string, body: PlanBody<'request'>): Promise<ApplicationPlan>
  withdraw(application: string): Promise<unknown>
  requests(tenantId: string | undefined): Promise<PlanRequest[]>
  approve(requestId: string): Promise<PlanRequest>
  decline(requestId: string, body: PlanBody<'decline'>): Promise<PlanRequest>
}

/** The calls over `client`. */
export function planCalls(client: LocalClient): PlanCalls {
  const call = async <T>(method: string, path: string, body?: unknown) => (await client.call(method, path, body)) as T
  const application = (reference: string, what: string) => `/applications/${segmentOf(reference)}/${what}`
  const request = (id: string, verb: string) => `/planRequests/${encodeURIComponent(id)}/${verb}`
  return {
    plans: async () => (await call<PlanAnswer<'plans'>>('GET', '/plans')).value,
    use: () => call('GET', '/planUse'),
    applicationsOf: (plan) => wholeList(client, `/planUse/applications?${new URLSearchParams({ plan })}`),
    planOf: (reference) => call('GET', application(reference, 'plan')),
    change: (reference, body) => call('PUT', application(reference, 'plan'), body),
    request: (reference, body) => call('POST', application(reference, 'planRequest'), body),
    withdraw: (reference) => call('DELETE', application(reference, 'planRequest')),
    requests: async (tenantId) => {
      const query = tenantId === undefined ? '' : `?${new URLSearchParams({ tenantId })}`
      return (await call<PlanAnswer<'requests'>>('GET', `/planRequests${query}`)).value
    },
    approve: (id) => call('POST', request(id, 'approve')),
    decline: (id, body) => call('POST', request(id, 'decline'), body),
  }
}
