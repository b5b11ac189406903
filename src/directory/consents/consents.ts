// What people allowed applications to do for them (contract §4), remembered for exactly (user, application, tenant,
// resource, permission). Written as part of a transaction, because ending a consent ends what rests on it too.

import { appendAudit } from '../../ledger/append-audit.js'
import { replaceUserConsents } from '../../storage/sql/consents/consent-ends.js'
import { deleteUserConsents, listUserConsents, type UserConsentRow } from '../../storage/sql/consents/user-consents.js'
import { insertInstallation, readInstallations } from '../../storage/sql/registrations/installations.js'
import { putConfirmedEpoch } from '../../storage/sql/registrations/redirect-confirmations.js'
import type { Statements } from '../../storage/sql/store.js'
import { epochOf } from '../applications/redirect-epochs.js'
import { checkConsentable } from '../permissions/permission-rules.js'
import type { PermissionRef, Registration } from '../records.js'
import { DirectoryRefusal } from '../refusal.js'
import { toRegistration } from '../rows.js'
import { requireTenant } from '../tenants/tenants.js'
import { type DirectoryWrites, recordApplication, requireApplication, type Writing } from '../writes.js'
import { type ConsentEnd, notOver } from './consent-end.js'
import { includesPermission, needsAdministrator } from './consent-rules.js'
import { usersMayConsent } from './user-consent-policy.js'

export interface UserConsent extends PermissionRef {
  userId: string
  applicationId: string
  tenantId: string
  /** Epoch ms. */
  grantedAt: number
  /** Undefined: it lasts until it is withdrawn. */
  end?: ConsentEnd | undefined
}

/** More than a person or an application has; a bound, not a page. */
const mostConsents = 5000

/** The consents that fit every id given, by application, tenant and user. Throws StoreUnavailable. */
export async function listConsents(
  reader: Statements,
  filter: { userId?: string | undefined; applicationId?: string | undefined; tenantId?: string | undefined },
): Promise<UserConsent[]> {
  const { userId, applicationId, tenantId } = filter
  const columns = { user_id: userId, application_id: applicationId, tenant_id: tenantId }
  return (await listUserConsents(reader, columns, mostConsents)).map(toConsent)
}

/**
 * Remembers a person's consent and installs the application in the tenant, where that tenant lets people do so; what is
 * new. Without permissions the person was only prompted again. `byAdministrator` says that the person is one there.
 * Throws DirectoryRefusal (ConsentNotAllowed and those of grantConsent).
 */
export async function rememberInTransaction(
  deps: DirectoryWrites,
  writing: Writing,
  consent: {
    userId: string
    applicationId: string
    tenantId: string
    permissions: readonly PermissionRef[]
    byAdministrator: boolean
    /** Where the answer goes, as the person was shown; absent: nowhere, to a device. */
    redirectUri?: string | undefined
    /** How long it lasts; what was allowed for longer stays. */
    end?: ConsentEnd | undefined
    /** All that the person was shown: what of it they had allowed for a shorter time lasts as long, too. */
    shown?: readonly PermissionRef[] | undefined
  },
): Promise<readonly PermissionRef[]> {
  const { userId, applicationId } = consent
  const record = await requireApplication(writing, applicationId)
  await confirmOrigins(writing, toRegistration(record), consent)
  await prolong(writing, consent)
  if (consent.permissions.length === 0) return []
  const tenant = await requireTenant(writing, consent.tenantId)
  const { tenantId } = tenant
  const registration = toRegistration(record)
  const permissions = checkConsentable(deps.catalogue, registration, tenant, consent.permissions)
  const needs = permissions.some((ref) => needsAdministrator(deps.catalogue, ref))
  const open = usersMayConsent(tenant, registration) && !needs
  if (permissions.some(({ kind }) => kind === 'application') || !(open || consent.byAdministrator)) {
    throw new DirectoryRefusal('ConsentNotAllowed', 'This needs the consent of an administrator of the tenant.')
  }
  const [installed] = await readInstallations(writing.tx, applicationId, tenantId)
  if (installed === undefined) {
    await insertInstallation(writing.tx, {
      application_id: applicationId,
      tenant_id: tenantId,
      created_at: writing.nowMs,
    })
    recordApplication(writing, record.application)
  }
  const before = notOver(await listConsents(writing.tx, { userId, applicationId, tenantId }), writing.nowMs)
  const added = permissions.filter((one) => !includesPermission(before, one))
  if (added.length === 0) return added
  const rows = added.map((ref) => rowOf({ ...ref, userId, applicationId, tenantId, grantedAt: writing.nowMs }, consent))
  await replaceUserConsents(writing.tx, rows)
  await appendAudit(deps, writing.tx, {
    event: 'consent.granted',
    userId,
    applicationId,
    tenantId,
    details: { added, installed: installed === undefined, ...consent.end },
  })
  return added
}

/** What stands with an earlier end than is chosen now. */
async function prolong(
  { tx, nowMs }: Writing,
  consent: Pick<UserConsent, 'userId' | 'applicationId' | 'tenantId' | 'end'> & {
    shown?: readonly PermissionRef[] | undefined
  },
): Promise<void> {
  const { userId, applicationId, shown = [], end } = consent
  if (shown.length === 0) return
  const tenantId = consent.tenantId.toLowerCase()
  const before = notOver(await listConsents(tx, { userId, applicationId, tenantId }), nowMs)
  const sooner = before.filter(
    (one) =>
      includesPermission(shown, one) &&
      one.end !== undefined &&
      one.end.endsAt < (end?.endsAt ?? Number.MAX_SAFE_INTEGER),
  )
  await replaceUserConsents(
    tx,
    sooner.map((one) => rowOf(one, { end })),
  )
}

function rowOf(one: Omit<UserConsent, 'end' | 'kind'>, { end }: { end?: ConsentEnd | undefined }) {
  return {
    user_id: one.userId,
    application_id: one.applicationId,
    tenant_id: one.tenantId,
    resource: one.resource,
    permission_id: one.id,
    granted_at: one.grantedAt,
    ends_at: end?.endsAt ?? null,
    lasts: end?.lasts ?? null,
  }
}

/**
 * Forgets what a person, or without `userId` everybody in the tenant, allowed an application there; what that was.
 * `endGrants` ends what rests on it: between, because it locks grants, which come before the ledger in everybody's
 * order.
 */
export async function forgetInTransaction(
  deps: DirectoryWrites,
  writing: Writing,
  consent: { applicationId: string; tenantId: string; userId?: string | undefined },
  endGrants: () => Promise<unknown>,
): Promise<UserConsent[]> {
  const { applicationId, tenantId, userId } = consent
  const removed = await deleteUserConsents(writing.tx, {
    application_id: applicationId,
    tenant_id: tenantId,
    user_id: userId,
  })
  await endGrants()
  const people = new Map<string, PermissionRef[]>()
  for (const { userId: whose, kind, resource, id } of removed.map(toConsent)) {
    people.set(whose, [...(people.get(whose) ?? []), { kind, resource, id }])
  }
  for (const [whose, permissions] of people) {
    await appendAudit(deps, writing.tx, {
      event: 'consent.withdrawn',
      userId: whose,
      applicationId,
      tenantId,
      details: { removed: permissions },
    })
  }
  return removed.map(toConsent)
}

/** A person who answers was shown where the answer goes: they are not prompted about its origin again. */
async function confirmOrigins(
  { tx }: Writing,
  { applicationId, redirectEpochs }: Registration,
  { userId, tenantId, redirectUri }: { userId: string; tenantId: string; redirectUri?: string | undefined },
): Promise<void> {
  const { origin, epoch } = redirectUri === undefined ? { origin: '', epoch: 0 } : epochOf(redirectEpochs, redirectUri)
  if (epoch === 0) return
  const whose = { user_id: userId, application_id: applicationId, tenant_id: tenantId }
  await putConfirmedEpoch(tx, { ...whose, origin, epoch })
}

function toConsent(row: UserConsentRow): UserConsent {
  return {
    kind: 'delegated',
    resource: row.resource,
    id: row.permission_id,
    userId: row.user_id,
    applicationId: row.application_id,
    tenantId: row.tenant_id,
    grantedAt: Number(row.granted_at),
    ...(row.ends_at === null
      ? {}
      : { end: { lasts: row.lasts === 'day' ? 'day' : 'once', endsAt: Number(row.ends_at) } }),
  }
}
