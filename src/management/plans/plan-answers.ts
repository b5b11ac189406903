// Plans as the API shows them.

import type { PlanLimit, PlanSettings } from '../../config/plans/plan-settings.js'
import { readOverrides } from '../../directory/plans/assigned-plans.js'
import { type DeclinedRequest, readDeclinedRequest } from '../../directory/plans/declined-request.js'
import { mayChoose, type PlanAuthority } from '../../directory/plans/plan-choice.js'
import { listPlanRequests, type PlanRequest } from '../../directory/plans/plan-requests.js'
import { effectivePlan } from '../../limits/effective-plan.js'
import { limitFacts } from '../../limits/refusal-words.js'
import { readApplicationPlan } from '../../storage/sql/registrations/plans/plans.js'
import type { ManagementDependencies } from '../dependencies.js'
import type { PlanAnswer } from './plan-schemas.js'

/** One plan of the configuration. */
export function planAnswer(
  plan: PlanSettings,
  { defaultPlan, authority }: { defaultPlan: string | undefined; authority: PlanAuthority },
): PlanAnswer<'plans'>['value'][number] {
  const { name, describe, chosenBy, limits, concurrent = null } = plan
  return {
    name,
    describe,
    chosenBy,
    default: name === defaultPlan,
    limits: limitsAnswer(limits),
    concurrent,
    mayChoose: mayChoose(plan, authority),
  }
}

/** What counts for an application, read from the Store. Throws StoreUnavailable. */
export async function applicationPlanAnswer(
  { store, settings, directory }: Pick<ManagementDependencies, 'store' | 'settings' | 'directory'>,
  applicationId: string,
  authority: PlanAuthority,
): Promise<PlanAnswer<'applicationPlan'>> {
  const { row, request, declined } = await store.snapshot(async (tx) => ({
    row: await readApplicationPlan(tx, applicationId),
    request: (await listPlanRequests(tx, { applicationId })).at(0),
    declined: await readDeclinedRequest(tx, applicationId),
  }))
  const registration = await directory.findRegistration(applicationId)
  const said = row?.plan ?? ''
  const overrides = readOverrides(row?.overrides ?? '')
  const effective = effectivePlan(settings, { plan: said, overrides })
  const { plans } = settings
  const current = plans.get(said)
  const mayLeave = current === undefined || mayChoose(current, authority)
  return {
    applicationId,
    name: registration?.name ?? '',
    tenantId: registration?.tenantId ?? '',
    plan: effective?.name ?? null,
    assigned: said === '' ? null : said,
    gone: said !== '' && current === undefined,
    overrides: { ...overrides, limits: { ...overrides.limits } },
    forgotten: [...(effective?.forgotten ?? [])],
    limits: limitsAnswer(effective?.limits ?? new Map()),
    concurrent: effective?.concurrent ?? null,
    request: request === undefined ? null : planRequestAnswer(request),
    declined: declined === undefined ? null : declinedAnswer(declined),
    choices: mayLeave ? [...plans.values()].filter((plan) => mayChoose(plan, authority)).map(({ name }) => name) : [],
  }
}

/** A request that waits. */
export function planRequestAnswer({ requestedAt, ...rest }: PlanRequest): PlanAnswer<'request'> {
  return { ...rest, requestedAt: new Date(requestedAt).toISOString() }
}

function declinedAnswer({ plan, answer, declinedAt }: DeclinedRequest): PlanAnswer<'applicationPlan'>['declined'] {
  return { plan, reason: answer, declinedAt: new Date(declinedAt).toISOString() }
}

function limitsAnswer(limits: ReadonlyMap<string, PlanLimit>): PlanAnswer<'applicationPlan'>['limits'] {
  return [...limits.values()].map(({ policy, routes }) => {
    const { by, ...facts } = limitFacts(policy)
    return { ...facts, by: [...by], routes: routes === undefined ? null : [...routes] }
  })
}
