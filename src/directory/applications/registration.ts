// Registering an application. Both identifiers are made here and never chosen by anyone (K6).

import { randomUUID } from 'node:crypto'
import type { Role } from '../../config/settings/settings.js'
import { appendAudit } from '../../ledger/append-audit.js'
import { createPublicKey } from '../../oauth/secrets/client-identifier.js'
import { replaceConfiguredPermissions, replaceRedirectUris } from '../../storage/sql/registrations/application-lists.js'
import { type ApplicationRow, insertApplication } from '../../storage/sql/registrations/applications.js'
import { insertInstallation } from '../../storage/sql/registrations/installations.js'
import { endImitations } from '../brands/imitations.js'
import { insertConsent } from '../consents/admin-consent.js'
import { checkConsenter } from '../consents/consenter.js'
import { insertPreparedSecret, type NewSecret, prepareSecret } from '../credentials/new-secret.js'
import { registered, secretCreated } from '../ledger-events.js'
import { checkConsentable, checkMayConsent, checkPermissions } from '../permissions/permission-rules.js'
import type { PermissionRef, Registration } from '../records.js'
import { DirectoryRefusal } from '../refusal.js'
import { toRegistration } from '../rows.js'
import { requireTenant } from '../tenants/tenants.js'
import { type DirectoryWrites, recordApplication, requireApplication, type Writing, write } from '../writes.js'
import { requireRoomForApplication } from './application-quota.js'
import { checkName } from './names.js'
import { insertFirstOwner } from './owners.js'
import { checkRedirectUris, type RedirectUriLists, redirectUriPurposes } from './redirect-uri-lists.js'
import { changeOptions, defaultOptions, type RegistrationOptions } from './registration-options.js'
import { checkNamesFree } from './taken-names.js'

const dayMs = 86_400_000
export interface RegistrationInput extends RedirectUriLists, RegistrationOptions {
  name: string
  type: 'web' | 'native'
  /** Home tenant. */
  tenantId: string
  audience?: 'home' | 'any' | undefined
  permissions?: readonly PermissionRef[] | undefined
  /** Who consents to all of `permissions` in the home tenant at once; absent: nobody does. */
  consentBy?: string | undefined
  /** They are an operator of the installation. */
  consentByOperator?: boolean | undefined
  /** As `byRole` of an AdminConsent. */
  consentByRole?: Role | undefined
  /** For the first secret of a web application; default: label `first`, 180 days. */
  secret?: { label?: string | undefined; lifetimeMs?: number | undefined } | undefined
}

/** What a registration is written with. */
interface Joining {
  also?: (writing: Writing, applicationId: string) => Promise<void>
  /** The transaction that it becomes a part of; without it, it is one of its own. */
  open?: Writing
}

/**
 * Registers an application with everything that belongs to it, in one transaction; web applications that prove
 * themselves by a secret get their first one, shown here and never again. `also` is done in the same transaction,
 * before it is accounted for. Throws DirectoryRefusal for each rule of contract §2, StoreUnavailable, and what `also`
 * throws.
 */
export async function registerApplication(
  deps: DirectoryWrites,
  input: RegistrationInput,
  { also, open }: Joining = {},
): Promise<{ registration: Registration; secret: NewSecret | undefined }> {
  const name = checkName(input.name, 'name', 'application', input.verified)
  const identity = { id: randomUUID() as string, public_key: createPublicKey(), name }
  const lists = checkRedirectUris(input, input.type)
  const permissions = checkPermissions(deps.catalogue, input, input.permissions ?? [])
  const { columns } = changeOptions(defaultOptions(input.type), input)
  const made = prepareFirstSecret(deps, input)
  const register = async (writing: Writing) => {
    const said = { ...identity, ...columns, created_by: createdBy(deps), redirect_epochs: '' }
    const row = await insertEnabled(deps, writing, said, input)
    for (const [list, purpose] of redirectUriPurposes)
      await replaceRedirectUris(writing.tx, row.id, purpose, lists[list] ?? [])
    await insertFirstOwner(deps, writing, row)
    await replaceConfiguredPermissions(
      writing.tx,
      row.id,
      permissions.map(({ kind, resource, id }) => ({ kind, resource, permission_id: id })),
    )
    const secret = made === undefined ? undefined : await insertPreparedSecret(writing, row, made)
    await also?.(writing, row.id)
    const registration = toRegistration(await requireApplication(writing, row.id))
    const consented = await consentAtHome(deps, writing, registration, input)
    recordApplication(writing, row)
    if (registration.verified) await endImitations(deps, writing, registration)
    await appendAudit(deps, writing.tx, registered(registration))
    if (secret !== undefined) await appendAudit(deps, writing.tx, secretCreated(registration, secret))
    if (consented.length > 0) {
      const { applicationId, tenantId } = registration
      const details = { added: consented, removed: [] }
      await appendAudit(deps, writing.tx, { event: 'admin-consent.granted', applicationId, tenantId, details })
    }
    return { registration, secret }
  }
  return write(deps, register, open)
}

function createdBy({ actor }: DirectoryWrites): string {
  if (actor.kind === 'user') return actor.userId
  return actor.kind === 'application' ? actor.applicationId : ''
}

function prepareFirstSecret(deps: DirectoryWrites, { type, secret, authMethod }: RegistrationInput) {
  if (authMethod === 'private_key_jwt' || authMethod === 'federated') {
    if (secret === undefined) return undefined
    throw new DirectoryRefusal('KeysInstead', `An application that uses ${authMethod} has no client secret.`)
  }
  if (type === 'web') {
    return prepareSecret(deps, { label: secret?.label ?? 'first', lifetimeMs: secret?.lifetimeMs ?? 180 * dayMs })
  }
  if (secret === undefined) return undefined
  throw new DirectoryRefusal('NativeApplication', 'A native application cannot keep a secret, so it has none.')
}

async function insertEnabled(
  deps: DirectoryWrites,
  writing: Writing,
  said: Omit<ApplicationRow, 'tenant_id' | 'type' | 'state' | 'audience' | 'created_at' | 'updated_at' | 'name_key'>,
  input: RegistrationInput,
): Promise<ApplicationRow> {
  const { tx, nowMs } = writing
  const tenant = await requireTenant(writing, input.tenantId)
  if (tenant.state !== 'enabled') throw new DirectoryRefusal('NotInstallable', 'The tenant is disabled.', 'tenantId')
  await requireRoomForApplication(deps, writing, tenant.tenantId)
  await checkNamesFree(deps, writing, { name: '', publisher: '', tenantId: tenant.tenantId }, said)
  const row = await insertApplication(tx, {
    ...said,
    tenant_id: tenant.tenantId,
    type: input.type,
    state: 'enabled',
    audience: input.audience ?? 'home',
    created_at: nowMs,
    updated_at: nowMs,
  })
  await insertInstallation(tx, { application_id: row.id, tenant_id: tenant.tenantId, created_at: nowMs })
  return row
}

/** What was consented to: everything configured, or nothing when nobody consents. */
async function consentAtHome(
  deps: DirectoryWrites,
  writing: Writing,
  registration: Registration,
  consent: Pick<RegistrationInput, 'consentBy' | 'consentByOperator' | 'consentByRole'>,
): Promise<readonly PermissionRef[]> {
  const { consentBy: by, consentByOperator, consentByRole: byRole } = consent
  if (by === undefined) return []
  const tenant = await requireTenant(writing, registration.tenantId)
  const permissions = checkConsentable(deps.catalogue, registration, tenant, 'all')
  checkMayConsent(deps.catalogue, registration.applicationId, permissions, consentByOperator)
  await checkConsenter(deps, writing, { by, byRole, tenantId: tenant.tenantId }, permissions)
  await insertConsent(writing, registration.applicationId, tenant.tenantId, { permissions, by })
  return permissions
}
