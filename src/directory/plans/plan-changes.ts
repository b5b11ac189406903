// Giving an application a plan, or numbers of its own: one transaction, one entry of the change log, by which every
// instance counts otherwise from then on.

import type { PlanRules } from '../../config/plans/plan-settings.js'
import { appendAudit } from '../../ledger/append-audit.js'
import type { PlanOverrides } from '../../limits/effective-plan.js'
import { deletePlanRequest } from '../../storage/sql/registrations/plans/plan-requests.js'
import {
  deleteApplicationPlan,
  putApplicationPlan,
  readApplicationPlan,
} from '../../storage/sql/registrations/plans/plans.js'
import { type DirectoryWrites, requireApplication, type Writing, write } from '../writes.js'
import { checkOverrides, overridesColumn } from './overrides.js'
import { checkMayChange, type PlanAuthority } from './plan-choice.js'

export interface PlanChange {
  /** null: none, so the default plan counts. Undefined: as it is. */
  plan?: string | null | undefined
  /** Only operators; the caller has checked that. Undefined: as they are. */
  overrides?: PlanOverrides | undefined
}

/**
 * What somebody wants, and how far their word goes. Throws DirectoryRefusal (ApplicationNotFound, UnknownPlan,
 * PlanNeedsApproval, InvalidOverride). An open request for the application ends when it has a plan by this.
 */
export async function changePlan(
  deps: DirectoryWrites,
  rules: PlanRules & Parameters<typeof checkOverrides>[0],
  applicationId: string,
  change: PlanChange & { authority: PlanAuthority },
): Promise<void> {
  await write(deps, (writing) => changePlanInTransaction(deps, writing, rules, { ...change, applicationId }))
}

/** The same inside a transaction of the caller's. */
export async function changePlanInTransaction(
  deps: DirectoryWrites,
  writing: Writing,
  rules: Parameters<typeof changePlan>[1],
  change: PlanChange & { authority: PlanAuthority; applicationId: string },
): Promise<void> {
  const { application } = await requireApplication(writing, change.applicationId)
  const row = await readApplicationPlan(writing.tx, application.id)
  const before = { plan: row?.plan ?? '', overrides: row?.overrides ?? '' }
  const plan = change.plan === undefined ? before.plan : (change.plan ?? '')
  if (plan !== before.plan) {
    checkMayChange(rules, { from: before.plan, to: plan === '' ? undefined : plan }, change.authority)
  }
  if (change.overrides !== undefined) checkOverrides(rules, plan, change.overrides)
  const overrides = change.overrides === undefined ? before.overrides : overridesColumn(change.overrides)
  if (change.plan !== undefined) await deletePlanRequest(writing.tx, application.id)
  if (plan === before.plan && overrides === before.overrides) return
  if (plan === '' && overrides === '') await deleteApplicationPlan(writing.tx, application.id)
  else
    await putApplicationPlan(writing.tx, { application_id: application.id, plan, overrides, updated_at: writing.nowMs })
  writing.record({ kind: 'plan', applicationId: application.id, plan, overrides })
  await appendAudit(deps, writing.tx, {
    event: 'application.plan-changed',
    applicationId: application.id,
    tenantId: application.tenant_id,
    details: {
      ...(plan === before.plan ? {} : { plan: { before: before.plan, after: plan } }),
      ...(overrides === before.overrides ? {} : { overrides: { before: before.overrides, after: overrides } }),
    },
  })
}
