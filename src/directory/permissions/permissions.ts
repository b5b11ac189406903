// What an application may ask for (configured by its developer) and what an administrator of a tenant allowed it
// (consented). Less than before takes effect on tokens that are out, at once: they are refused, and new ones are got.

import { appendAudit } from '../../ledger/append-audit.js'
import { replaceConfiguredPermissions } from '../../storage/sql/registrations/application-lists.js'
import { readInstallations } from '../../storage/sql/registrations/installations.js'
import { deletePermissionConsents } from '../../storage/sql/registrations/tenant-consents.js'
import { type AdminConsent, grantInTransaction, removeGrants } from '../consents/admin-consent.js'
import { includesPermission, isOpenidWord } from '../consents/consent-rules.js'
import { checkRegistered } from '../documents/described-elsewhere.js'
import type { Installation, PermissionRef, Registration } from '../records.js'
import { toInstallation, toRegistration } from '../rows.js'
import { type DirectoryWrites, recordRevocations, requireApplication, type Writing, write } from '../writes.js'
import { checkPermissions } from './permission-rules.js'

/**
 * Replaces what is configured. What is configured no longer loses its consents in every tenant, of administrators and
 * of people, so that configuring it again asks them again. Throws DirectoryRefusal (ApplicationNotFound,
 * UnknownPermission, NativeApplication).
 */
export async function configurePermissions(
  deps: DirectoryWrites,
  applicationId: string,
  permissions: readonly PermissionRef[],
): Promise<readonly PermissionRef[]> {
  return write(deps, (writing) => configureInTransaction(deps, writing, applicationId, permissions))
}

/** The same inside a transaction of the caller's. */
export async function configureInTransaction(
  deps: DirectoryWrites,
  writing: Writing,
  applicationId: string,
  permissions: readonly PermissionRef[],
): Promise<readonly PermissionRef[]> {
  const record = await requireApplication(writing, applicationId)
  checkRegistered(record)
  const { application } = record
  const configured = checkPermissions(deps.catalogue, toRegistration(record), permissions)
  const installed = (await readInstallations(writing.tx, application.id)).map(toInstallation)
  const withdrawn = installed.map((installation) => ({
    tenantId: installation.tenantId,
    permissions: installation.granted.filter(
      (granted) => !isOpenidWord(granted) && !includesPermission(configured, granted),
    ),
  }))
  await replaceConfiguredPermissions(
    writing.tx,
    application.id,
    configured.map(({ kind, resource, id }) => ({ kind, resource, permission_id: id })),
  )
  await removeGrants(deps, writing, application, withdrawn)
  const forgotten = await forgetOwnConsents(writing, toRegistration(record), configured)
  // Where an administrator's consent went too, that has been recorded.
  if (forgotten > 0 && withdrawn.every(({ permissions }) => permissions.length === 0)) {
    await recordRevocations(deps, writing, [{ what: 'application', id: application.id }])
  }
  await accountFor(deps, writing, application, {
    before: toRegistration(record).configured,
    after: configured,
    withdrawn: withdrawn.filter(({ permissions }) => permissions.length > 0),
  })
  return configured
}

/**
 * Records an administrator's consent in a tenant (default: the home tenant) and installs the application there. `all`
 * is everything configured. `by` says who consented. Throws DirectoryRefusal (ApplicationNotFound, TenantNotFound,
 * NotInstallable, PermissionNotConfigured, UnknownPermission, OperatorRequired).
 */
export async function grantConsent(
  deps: DirectoryWrites,
  applicationId: string,
  consent: Pick<AdminConsent, 'tenantId' | 'permissions' | 'by' | 'byOperator' | 'byRole'>,
): Promise<Installation> {
  return write(deps, async (writing) => (await grantInTransaction(deps, writing, applicationId, consent)).installation)
}

/** What people allowed by themselves of what is configured no longer; how many consents. */
async function forgetOwnConsents(
  { tx }: Writing,
  before: Pick<Registration, 'applicationId' | 'configured'>,
  configured: readonly PermissionRef[],
): Promise<number> {
  let forgotten = 0
  for (const ref of before.configured) {
    if (ref.kind !== 'delegated' || includesPermission(configured, ref)) continue
    const permission = { application_id: before.applicationId, resource: ref.resource, permission_id: ref.id }
    forgotten += await deletePermissionConsents(tx, permission)
  }
  return forgotten
}

async function accountFor(
  deps: DirectoryWrites,
  { tx }: Writing,
  { id: applicationId, tenant_id: tenantId }: { id: string; tenant_id: string },
  done: {
    before: readonly PermissionRef[]
    after: readonly PermissionRef[]
    withdrawn: readonly { tenantId: string; permissions: readonly PermissionRef[] }[]
  },
): Promise<void> {
  const { before, after, withdrawn } = done
  const event = 'application.permissions-configured'
  await appendAudit(deps, tx, { event, applicationId, tenantId, details: { before, after } })
  for (const { tenantId, permissions } of withdrawn) {
    const details = { removed: permissions, because: 'no longer configured' }
    await appendAudit(deps, tx, { event: 'admin-consent.withdrawn', applicationId, tenantId, details })
  }
}
