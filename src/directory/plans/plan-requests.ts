// Requests for a plan that the developers of an application may not choose: one for each application, decided once.
// Approving is the change itself, in the same transaction, so that of two who decide at once one does.

import { randomUUID } from 'node:crypto'
import { appendAudit } from '../../ledger/append-audit.js'
import { parseGuid } from '../../oauth/secrets/guid.js'
import { declinePlanRequest, withdrawOpenRequest } from '../../storage/sql/registrations/plans/plan-decisions.js'
import {
  type PlanRequestRow,
  putPlanRequest,
  readPlanRequests,
} from '../../storage/sql/registrations/plans/plan-requests.js'
import { readApplicationPlan } from '../../storage/sql/registrations/plans/plans.js'
import type { Statements } from '../../storage/sql/store.js'
import { visibleText } from '../consents/visible-text.js'
import { DirectoryRefusal } from '../refusal.js'
import { type DirectoryWrites, requireApplication, type Writing, write } from '../writes.js'
import { changePlanInTransaction } from './plan-changes.js'
import { mayChoose, type PlanAuthority, requirePlan } from './plan-choice.js'

export interface PlanRequest {
  requestId: string
  applicationId: string
  applicationName: string
  /** Home tenant of the application. */
  tenantId: string
  plan: string
  /** In the requester's words; may be empty. */
  reason: string
  /** The id of the person or application; empty: the local socket. */
  requestedBy: string
  /** Epoch ms. */
  requestedAt: number
}

interface Decision {
  approve: boolean
  authority: PlanAuthority
  mayDecide: (tenantId: string) => void
  /** Of what is declined: why, for those who requested it. */
  answer?: string | undefined
}

type Rules = Parameters<typeof changePlanInTransaction>[2]

/** The oldest, which wait longest. */
const mostListed = 500

/** Open requests, the oldest first: of all tenants, one, or one application. Throws StoreUnavailable. */
export async function listPlanRequests(
  statements: Statements,
  of: { tenantId?: string | undefined; applicationId?: string | undefined },
): Promise<PlanRequest[]> {
  return (await readPlanRequests(statements, of, mostListed)).map(toRequest)
}

/**
 * Asks for a plan. Asking again takes the place of the request before; what then reads otherwise has another id. Throws
 * DirectoryRefusal (ApplicationNotFound, UnknownPlan, PlanNotRequestable).
 */
export async function filePlanRequest(
  deps: DirectoryWrites,
  rules: Rules,
  request: { applicationId: string; plan: string; reason: string },
): Promise<void> {
  const { name: plan } = requirePlan(rules, request.plan)
  const reason = visibleText(request.reason)
  await write(deps, async (writing) => {
    const { application } = await requireApplication(writing, request.applicationId)
    const applicationId = application.id
    const has = await readApplicationPlan(writing.tx, applicationId)
    if (has?.plan === plan) {
      throw new DirectoryRefusal('PlanNotRequestable', `The application is on the plan ${plan} already.`, 'plan')
    }
    const [before] = await readPlanRequests(writing.tx, { applicationId }, 1)
    if (before?.plan === plan && before.reason === reason) return
    await putPlanRequest(writing.tx, {
      id: randomUUID(),
      application_id: applicationId,
      tenant_id: application.tenant_id,
      plan,
      reason,
      requested_by: requesterOf(deps),
      requested_at: writing.nowMs,
      declined_at: 0,
      answer: '',
    })
    const about = { applicationId, tenantId: application.tenant_id, details: { plan } }
    await appendAudit(deps, writing.tx, { event: 'application.plan-requested', ...about })
  })
}

/** Takes back the request of an application; whether there was one. */
export async function withdrawPlanRequest(deps: DirectoryWrites, applicationId: string): Promise<boolean> {
  return write(deps, async ({ tx }) => {
    const [request] = await readPlanRequests(tx, { applicationId }, 1)
    if (request === undefined || !(await withdrawOpenRequest(tx, request.id))) return false
    const about = { applicationId, tenantId: request.tenant_id, details: { plan: request.plan } }
    await appendAudit(deps, tx, { event: 'application.plan-request-withdrawn', ...about })
    return true
  })
}

/**
 * Approves or declines. `mayDecide` throws for a tenant that is not the caller's. Throws DirectoryRefusal
 * (PlanRequestNotFound, PlanNeedsApproval for a plan that is not theirs to give, UnknownPlan for one that is gone).
 */
export async function decidePlanRequest(
  deps: DirectoryWrites,
  rules: Rules,
  requestId: string,
  decision: Decision,
): Promise<PlanRequest> {
  return write(deps, async (writing) => {
    const request = await requireRequest(writing, requestId)
    decision.mayDecide(request.tenantId)
    const { applicationId, tenantId, plan } = request
    const { authority } = decision
    if (decision.approve) {
      // It ends first: of two who decide at once, the second one finds none.
      if (!(await withdrawOpenRequest(writing.tx, request.requestId))) throw noSuchRequest()
      await changePlanInTransaction(deps, writing, rules, { applicationId, plan, authority })
      return request
    }
    const known = rules.plans.get(plan)
    if (known !== undefined && !mayChoose(known, authority)) {
      const message = `Only ${known.chosenBy} decide on requests for the plan ${plan}.`
      throw new DirectoryRefusal('PlanNeedsApproval', message, 'plan')
    }
    const answer = visibleText(decision.answer ?? '')
    const declined = await declinePlanRequest(writing.tx, { id: request.requestId, answer, atMs: writing.nowMs })
    if (!declined) throw noSuchRequest()
    const details = { plan, requestedBy: request.requestedBy }
    await appendAudit(deps, writing.tx, { event: 'application.plan-declined', applicationId, tenantId, details })
    return request
  })
}

async function requireRequest({ tx }: Writing, requestId: string): Promise<PlanRequest> {
  const id = parseGuid(requestId)
  const [row] = id === undefined ? [] : await readPlanRequests(tx, { id }, 1)
  if (row !== undefined) return toRequest(row)
  throw noSuchRequest()
}

function noSuchRequest(): DirectoryRefusal {
  const message = 'There is no such request: somebody decided it, took it back, or requested something else.'
  return new DirectoryRefusal('PlanRequestNotFound', message)
}

function requesterOf({ actor }: DirectoryWrites): string {
  if (actor.kind === 'user') return actor.userId
  return actor.kind === 'application' ? actor.applicationId : ''
}

function toRequest(row: PlanRequestRow & { name: string }): PlanRequest {
  return {
    requestId: row.id,
    applicationId: row.application_id,
    applicationName: row.name,
    tenantId: row.tenant_id,
    plan: row.plan,
    reason: row.reason,
    requestedBy: row.requested_by,
    requestedAt: Number(row.requested_at),
  }
}
