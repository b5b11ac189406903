// An administrator's consent as part of a transaction: what permissions.ts does as a write of its own, and what
// deciding a request for consent does together with the request.

import type { Role } from '../../config/settings/settings.js'
import { appendAudit } from '../../ledger/append-audit.js'
import { readApplications } from '../../storage/sql/registrations/applications.js'
import {
  deleteGrant,
  insertGrants,
  insertInstallation,
  readInstallations,
} from '../../storage/sql/registrations/installations.js'
import { confirmForTenant } from '../../storage/sql/registrations/redirect-confirmations.js'
import { checkConsentable, checkMayConsent } from '../permissions/permission-rules.js'
import type { Installation, PermissionRef } from '../records.js'
import { toInstallation, toRegistration } from '../rows.js'
import { requireTenant } from '../tenants/tenants.js'
import {
  type DirectoryWrites,
  recordApplication,
  recordRevocations,
  requireApplication,
  type Writing,
} from '../writes.js'
import { includesPermission } from './consent-rules.js'
import { checkConsenter } from './consenter.js'
import { closeCovered } from './covered-requests.js'

export interface AdminConsent {
  /** Absent: the home tenant. */
  tenantId?: string | undefined
  permissions: readonly PermissionRef[] | 'all'
  /** Who consented. */
  by: string
  /** They are an operator of the installation, and consent as one; see checkMayConsent. */
  byOperator?: boolean | undefined
  /** The role that they act with, where that is less than theirs: through an application nobody is an owner. */
  byRole?: Role | undefined
  /** What is withdrawn with it. */
  remove?: readonly PermissionRef[] | undefined
  /** For the ledger: the consent request that it answers. */
  consentRequest?: string | undefined
}

/** What a consent made of what was granted before. */
export interface ConsentDifference {
  added: readonly PermissionRef[]
  removed: readonly PermissionRef[]
}

/**
 * Records an administrator's consent, installing the application, and answers what is granted now and what changed.
 * Pending requests that it covers are approved with it. Throws DirectoryRefusal as grantConsent does.
 */
export async function grantInTransaction(
  deps: DirectoryWrites,
  writing: Writing,
  applicationId: string,
  consent: AdminConsent,
): Promise<{ installation: Installation; difference: ConsentDifference }> {
  const record = await requireApplication(writing, applicationId)
  const registration = toRegistration(record)
  const tenant = await requireTenant(writing, consent.tenantId ?? registration.tenantId)
  const permissions = checkConsentable(deps.catalogue, registration, tenant, consent.permissions)
  checkMayConsent(deps.catalogue, registration.applicationId, permissions, consent.byOperator)
  const before = await grantedIn(writing, registration.applicationId, tenant.tenantId)
  const added = permissions.filter((one) => !includesPermission(before, one))
  const { by, byRole } = consent
  await checkConsenter(deps, writing, { by, byRole, tenantId: tenant.tenantId }, added)
  await insertConsent(writing, registration.applicationId, tenant.tenantId, { permissions, by: consent.by })
  const removed = before.filter((one) => includesPermission(consent.remove ?? [], one))
  await removeGrants(deps, writing, record.application, [{ tenantId: tenant.tenantId, permissions: removed }])
  const [installed] = await readInstallations(writing.tx, registration.applicationId, tenant.tenantId)
  if (installed === undefined) throw new Error('the installation that was just written is not there')
  const installation = toInstallation(installed)
  const where = { applicationId: registration.applicationId, tenantId: tenant.tenantId }
  const answered = await closeCovered(writing, { ...where, granted: installation.granted, by: consent.by })
  const requests = {
    ...requestDetails(consent.consentRequest),
    ...(answered.length === 0 ? {} : { alsoAnswered: answered }),
  }
  await appendAudit(deps, writing.tx, {
    event: 'admin-consent.granted',
    ...where,
    details: { added, removed, by: consent.by, ...requests },
  })
  return { installation, difference: { added, removed } }
}

/**
 * Withdraws consents in a tenant; what was granted and is no longer. Tokens of the application that are out are refused
 * from this change on, in every tenant, because a token does not say which consents it rests on. The installation
 * stays. Throws DirectoryRefusal.
 */
export async function withdrawInTransaction(
  deps: DirectoryWrites,
  writing: Writing,
  applicationId: string,
  consent: Pick<AdminConsent, 'tenantId' | 'permissions'>,
): Promise<{ tenantId: string; removed: readonly PermissionRef[] }> {
  const { application } = await requireApplication(writing, applicationId)
  const { tenantId } = await requireTenant(writing, consent.tenantId ?? application.tenant_id)
  const granted = await grantedIn(writing, application.id, tenantId)
  const { permissions } = consent
  const removed = permissions === 'all' ? granted : granted.filter((one) => includesPermission(permissions, one))
  await removeGrants(deps, writing, application, [{ tenantId, permissions: removed }])
  if (removed.length > 0) {
    const details = { removed }
    await appendAudit(deps, writing.tx, {
      event: 'admin-consent.withdrawn',
      applicationId: application.id,
      tenantId,
      details,
    })
  }
  return { tenantId, removed }
}

/** Installs and grants inside a transaction, without checks; registration.ts uses it too. */
export async function insertConsent(
  { tx, nowMs }: Writing,
  applicationId: string,
  tenantId: string,
  consent: { permissions: readonly PermissionRef[]; by: string },
): Promise<void> {
  await insertInstallation(tx, { application_id: applicationId, tenant_id: tenantId, created_at: nowMs })
  const rows = consent.permissions.map(({ kind, resource, id }) => ({
    application_id: applicationId,
    tenant_id: tenantId,
    kind,
    resource,
    permission_id: id,
    granted_at: nowMs,
    granted_by: consent.by,
  }))
  await insertGrants(tx, rows)
  const [record] = await readApplications(tx, 'id', applicationId)
  const epoch = record === undefined ? 0 : toRegistration(record).redirectEpochs.current
  await confirmForTenant(tx, { applicationId, tenantId, epoch })
}

/** Removes consents, says that the application changed, and refuses its tokens when there is less than before. */
export async function removeGrants(
  deps: DirectoryWrites,
  writing: Writing,
  application: { id: string; state: string },
  withdrawn: readonly { tenantId: string; permissions: readonly PermissionRef[] }[],
): Promise<void> {
  for (const { tenantId, permissions } of withdrawn) {
    for (const { kind, resource, id } of permissions) {
      const grant = { application_id: application.id, tenant_id: tenantId, kind, resource, permission_id: id }
      await deleteGrant(writing.tx, grant)
    }
  }
  recordApplication(writing, application)
  if (withdrawn.every(({ permissions }) => permissions.length === 0)) return
  await recordRevocations(deps, writing, [{ what: 'application', id: application.id }])
}

async function grantedIn({ tx }: Writing, applicationId: string, tenantId: string): Promise<PermissionRef[]> {
  const [installed] = await readInstallations(tx, applicationId, tenantId)
  if (installed === undefined) return []
  return toInstallation(installed).granted.map(({ kind, resource, id }) => ({ kind, resource, id }))
}

function requestDetails(consentRequest: string | undefined): object {
  return consentRequest === undefined ? {} : { consentRequest }
}
