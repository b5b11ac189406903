// Restoring a deleted application (decision 129): its registration, owners and plan come back. Credentials and the home
// tenant's consents only when they are chosen; tokens, sign-ins and what others allowed it never.

import type { Role } from '../../config/settings/settings.js'
import { appendAudit } from '../../ledger/append-audit.js'
import { createOpaqueToken, hashOpaqueToken } from '../../oauth/secrets/opaque-token.js'
import { type DeletedRow, readDeleted, removeDeleted } from '../../storage/sql/registrations/deleted/deleted-rows.js'
import { insertKeptRows, type KeptRows, type KeptTable } from '../../storage/sql/registrations/deleted/kept-rows.js'
import { insertInstallation } from '../../storage/sql/registrations/installations.js'
import { requireRoomInTenant } from '../applications/application-quota.js'
import { isEligible } from '../applications/owners-in-transaction.js'
import { checkNamesFree } from '../applications/taken-names.js'
import { insertConsent } from '../consents/admin-consent.js'
import { includesPermission, isOpenidWord } from '../consents/consent-rules.js'
import { checkConsenter } from '../consents/consenter.js'
import { checkMayConsent } from '../permissions/permission-rules.js'
import type { PermissionRef, Registration } from '../records.js'
import { DirectoryRefusal } from '../refusal.js'
import { toRegistration } from '../rows.js'
import { requireTenant } from '../tenants/tenants.js'
import { type DirectoryWrites, recordApplication, requireApplication, type Writing, write } from '../writes.js'
import { noDeleted } from './keep-deleted.js'
import { momentOf } from './moment.js'

export interface Restoring {
  /** Identifier or public key. */
  id: string
  /** Whose it has to be; undefined: anybody's. */
  tenantId: string | undefined
  /** Its secrets, keys, federated credentials and registration access token too. */
  credentials: boolean
  /** What administrators of the home tenant had consented to, consented to anew by this person; undefined: nothing. */
  consent: { by: string; byOperator: boolean; byRole: Role | undefined } | undefined
}

/** With the credentials. client_registrations stays in any case; without them its token is another one. */
const credentialTables = ['application_secrets', 'federated_credentials'] as const
const plainTables = [
  'redirect_uris',
  'configured_permissions',
  'application_plans',
  'application_brands',
  'brand_logos',
  'new_redirect_origins',
] as const

/**
 * Restores it in one transaction; nobody has it twice. Throws DirectoryRefusal: ApplicationNotFound when it cannot be
 * restored (any more), NotInstallable in a disabled tenant, TooManyApplications, NameTaken; OperatorRequired and
 * RoleRequired for a consent that this person may not give; StoreUnavailable.
 */
export async function restoreApplication(deps: DirectoryWrites, restoring: Restoring): Promise<Registration> {
  return write(deps, async (writing) => {
    const { tx } = writing
    const { id, tenantId, credentials, consent } = restoring
    const deleted = await readDeleted(tx, { id, tenantId, ...momentOf(deps, writing) })
    if (deleted === undefined || !(await removeDeleted(tx, deleted.id))) throw noDeleted()
    await checkPlace(deps, writing, deleted)
    const kept = JSON.parse(deleted.kept) as KeptRows
    await putBack(writing, { deleted, kept, credentials })
    const registration = toRegistration(await requireApplication(writing, deleted.id))
    const granted = consent === undefined ? [] : await consentAnew(deps, writing, { registration, kept, consent })
    recordApplication(writing, { id: deleted.id, state: registration.state })
    await audit(deps, writing, { registration, restoring, deleted, granted })
    return toRegistration(await requireApplication(writing, deleted.id))
  })
}

async function checkPlace(deps: DirectoryWrites, writing: Writing, deleted: DeletedRow): Promise<void> {
  const { tenantId, state } = await requireTenant(writing, deleted.tenant_id)
  if (state !== 'enabled') throw new DirectoryRefusal('NotInstallable', 'The tenant is disabled.', 'tenantId')
  await requireRoomInTenant(deps, writing, tenantId)
  const { id: applicationId, name, publisher } = deleted
  await checkNamesFree(deps, writing, { name: '', publisher: '', tenantId }, { name, publisher, applicationId })
}

async function putBack(
  writing: Writing,
  { deleted, kept, credentials }: { deleted: DeletedRow; kept: KeptRows; credentials: boolean },
): Promise<void> {
  const { tx, nowMs } = writing
  const rowsOf = (table: KeptTable) => kept[table] ?? []
  const [row = {}] = kept.applications
  // Without its keys it has a set of none: nobody proves by them that they are it.
  const keys = credentials || row['jwks'] === null ? {} : { jwks: '{"keys":[]}' }
  await insertKeptRows(tx, 'applications', [{ ...row, ...keys, updated_at: nowMs }])
  for (const table of plainTables) await insertKeptRows(tx, table, rowsOf(table))
  if (credentials) for (const table of credentialTables) await insertKeptRows(tx, table, rowsOf(table))
  const ended = { token_hash: hashOpaqueToken(createOpaqueToken('pcl_ra_')), previous_hash: null }
  const clients = rowsOf('client_registrations').map((client) => ({ ...client, ...(credentials ? {} : ended) }))
  await insertKeptRows(tx, 'client_registrations', clients)
  for (const owner of rowsOf('application_owners')) {
    const kind = owner['kind'] === 'user' ? 'user' : 'application'
    const isStill = await isEligible(tx, deleted, { ownerId: String(owner['owner_id']), kind })
    if (isStill) await insertKeptRows(tx, 'application_owners', [owner])
  }
  await insertInstallation(tx, { application_id: deleted.id, tenant_id: deleted.tenant_id, created_at: nowMs })
  for (const { plan, overrides } of rowsOf('application_plans')) {
    writing.record({ kind: 'plan', applicationId: deleted.id, plan: String(plan), overrides: String(overrides) })
  }
}

/** Of what was granted at home, as far as it is still configured: the rules are those of any consent. */
async function consentAnew(
  deps: DirectoryWrites,
  writing: Writing,
  { registration, kept, consent }: { registration: Registration; kept: KeptRows; consent: RestoredConsent },
): Promise<readonly PermissionRef[]> {
  const { applicationId, tenantId, configured } = registration
  const granted = (kept.permission_grants ?? []).map(toRef)
  const isStill = (ref: PermissionRef) =>
    includesPermission(configured, ref) && deps.catalogue.find(ref.kind, ref.resource, ref.id) !== undefined
  const permissions = granted.filter((ref) => isOpenidWord(ref) || isStill(ref))
  if (permissions.length === 0) return []
  checkMayConsent(deps.catalogue, applicationId, permissions, consent.byOperator)
  await checkConsenter(deps, writing, { by: consent.by, byRole: consent.byRole, tenantId }, permissions)
  await insertConsent(writing, applicationId, tenantId, { permissions, by: consent.by })
  return permissions
}

type RestoredConsent = NonNullable<Restoring['consent']>

function toRef(row: Readonly<Record<string, unknown>>): PermissionRef {
  const kind = row['kind'] === 'application' ? 'application' : 'delegated'
  return { kind, resource: String(row['resource']), id: String(row['permission_id']) }
}

async function audit(
  deps: DirectoryWrites,
  { tx }: Writing,
  done: { registration: Registration; restoring: Restoring; deleted: DeletedRow; granted: readonly PermissionRef[] },
): Promise<void> {
  const { registration, restoring, deleted, granted } = done
  const { applicationId, tenantId, name, secrets } = registration
  const credentials = restoring.credentials ? { secrets: secrets.map(({ keyId }) => keyId) } : {}
  const details = { name, deletedAt: Number(deleted.deleted_at), credentials: restoring.credentials, ...credentials }
  await appendAudit(deps, tx, { event: 'application.restored', applicationId, tenantId, details })
  if (granted.length === 0) return
  const consented = { added: granted, removed: [], by: restoring.consent?.by }
  await appendAudit(deps, tx, { event: 'admin-consent.granted', applicationId, tenantId, details: consented })
}
