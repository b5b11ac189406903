// What an application may ask for (configured by its developer) and what an administrator of a tenant allowed it
// (consented). Less than before takes effect on tokens that are out, at once: they are refused, and new ones are got.

import { replaceConfiguredPermissions } from '../memory/store/application-lists.js'
import { deleteGrant, insertGrants, insertInstallation, readInstallations } from '../memory/store/installations.js'
import { checkConsentable, checkPermissions } from './permission-rules.js'
import type { Installation, PermissionRef } from './records.js'
import { toInstallation, toRegistration } from './rows.js'
import { requireTenant } from './tenants.js'
import {
  type DirectoryWrites,
  recordApplication,
  recordRevocations,
  requireApplication,
  type Writing,
  write,
} from './writes.js'

/**
 * Replaces what is configured. What is configured no longer loses its consents in every tenant, so that configuring it
 * again asks an administrator again. Throws DirectoryRefusal (ApplicationNotFound, UnknownPermission, NativeApplication).
 */
export async function configurePermissions(
  deps: DirectoryWrites,
  applicationId: string,
  permissions: readonly PermissionRef[],
): Promise<readonly PermissionRef[]> {
  return write(deps, async (writing) => {
    const { application, type } = await requireRegistration(writing, applicationId)
    const configured = checkPermissions(deps.catalogue, type, permissions)
    const installed = (await readInstallations(writing.tx, application.id)).map(toInstallation)
    const withdrawn = installed.map((installation) => ({
      tenantId: installation.tenantId,
      permissions: installation.granted.filter((granted) => !includes(configured, granted)),
    }))
    await replaceConfiguredPermissions(
      writing.tx,
      application.id,
      configured.map(({ kind, resource, id }) => ({ kind, resource, permission_id: id })),
    )
    await removeGrants(deps, writing, application, withdrawn)
    return configured
  })
}

/**
 * Records an administrator's consent in a tenant (default: the home tenant) and installs the application there. `all` is
 * everything configured. `by` says who consented. Throws DirectoryRefusal (ApplicationNotFound, TenantNotFound,
 * NotInstallable, PermissionNotConfigured, UnknownPermission).
 */
export async function grantConsent(
  deps: DirectoryWrites,
  applicationId: string,
  consent: { tenantId?: string | undefined; permissions: readonly PermissionRef[] | 'all'; by: string },
): Promise<Installation> {
  return write(deps, async (writing) => {
    const { application, registration } = await requireRegistration(writing, applicationId)
    const tenant = await requireTenant(writing, consent.tenantId ?? registration.tenantId)
    const granted = checkConsentable(deps.catalogue, registration, tenant, consent.permissions)
    await insertConsent(writing, application.id, tenant.tenantId, { permissions: granted, by: consent.by })
    recordApplication(writing, application)
    return requireInstallation(writing, application.id, tenant.tenantId)
  })
}

/**
 * Withdraws consents in a tenant; tokens of the application that are out are refused from this change on, in every
 * tenant, because a token does not say which consents it rests on. The installation stays. Throws DirectoryRefusal.
 */
export async function withdrawConsent(
  deps: DirectoryWrites,
  applicationId: string,
  consent: { tenantId?: string | undefined; permissions: readonly PermissionRef[] | 'all' },
): Promise<void> {
  await write(deps, async (writing) => {
    const { application, registration } = await requireRegistration(writing, applicationId)
    const tenant = await requireTenant(writing, consent.tenantId ?? registration.tenantId)
    const [installed] = (await readInstallations(writing.tx, application.id, tenant.tenantId)).map(toInstallation)
    const { permissions } = consent
    const granted = installed?.granted ?? []
    const withdrawn = permissions === 'all' ? granted : granted.filter((one) => includes(permissions, one))
    await removeGrants(deps, writing, application, [{ tenantId: tenant.tenantId, permissions: withdrawn }])
  })
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
}

async function requireRegistration(writing: Writing, applicationId: string) {
  const record = await requireApplication(writing, applicationId)
  const registration = toRegistration(record)
  return { application: record.application, registration, type: registration.type }
}

async function requireInstallation({ tx }: Writing, applicationId: string, tenantId: string): Promise<Installation> {
  const [record] = await readInstallations(tx, applicationId, tenantId)
  if (record === undefined) throw new Error('the installation that was just written is not there')
  return toInstallation(record)
}

async function removeGrants(
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

function includes(refs: readonly PermissionRef[], one: PermissionRef): boolean {
  return refs.some((ref) => ref.kind === one.kind && ref.resource === one.resource && ref.id === one.id)
}
