// Registering an application, and changing what its developer may change. Both identifiers are made here and never
// chosen by anyone (K6).

import { randomUUID } from 'node:crypto'
import type { Role } from '../../config/settings/settings.js'
import { appendAudit } from '../../ledger/append-audit.js'
import { createPublicKey } from '../../oauth/secrets/client-identifier.js'
import { clientKeyCredential } from '../../oauth/secrets/client-key-credential.js'
import { replaceConfiguredPermissions, replaceRedirectUris } from '../../storage/sql/registrations/application-lists.js'
import {
  type ApplicationRow,
  insertApplication,
  updateApplication,
} from '../../storage/sql/registrations/applications.js'
import { insertInstallation } from '../../storage/sql/registrations/installations.js'
import { insertConsent } from '../consents/admin-consent.js'
import { checkConsenter } from '../consents/consenter.js'
import { recordEndedCredentials } from '../credentials/ended-credentials.js'
import { insertPreparedSecret, type NewSecret, prepareSecret } from '../credentials/new-secret.js'
import { changed, registered, secretCreated } from '../ledger-events.js'
import { checkConsentable, checkMayConsent, checkPermissions } from '../permissions/permission-rules.js'
import type { PermissionRef, Registration } from '../records.js'
import { DirectoryRefusal } from '../refusal.js'
import { toRegistration } from '../rows.js'
import { requireTenant } from '../tenants/tenants.js'
import {
  type DirectoryWrites,
  recordApplication,
  recordRevocations,
  requireApplication,
  type Writing,
  write,
} from '../writes.js'
import { requireRoomForApplication } from './application-quota.js'
import { checkName, checkNewName } from './names.js'
import { noteNewOrigins } from './new-origins.js'
import { insertFirstOwner } from './owners.js'
import { nextRedirectEpochs } from './redirect-epochs.js'
import { checkRedirectUris, type RedirectUriLists } from './redirect-uri-lists.js'
import { changeOptions, defaultOptions, type RegistrationOptions } from './registration-options.js'
import { checkNameFree } from './taken-names.js'

const dayMs = 86_400_000
const purposes = [
  ['redirectUris', 'redirect'],
  ['adminConsentRedirectUris', 'admin-consent'],
  ['logoutRedirectUris', 'logout'],
] as const

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

export interface RegistrationChanges extends RedirectUriLists, RegistrationOptions {
  name?: string | undefined
  state?: 'enabled' | 'disabled' | undefined
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
    for (const [list, purpose] of purposes) await replaceRedirectUris(writing.tx, row.id, purpose, lists[list] ?? [])
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

/**
 * Changes a name, the state, options, or whole lists of redirect URIs. Disabling refuses the application's tokens from
 * this change on, until it is enabled again; another method of proof, or a key that is gone, refuses those that are
 * out. Throws DirectoryRefusal (ApplicationNotFound, InvalidName, InvalidRedirectUri, InvalidKeys, NativeApplication).
 */
export async function changeApplication(
  deps: DirectoryWrites,
  applicationId: string,
  changes: RegistrationChanges,
): Promise<Registration> {
  return write(deps, (writing) => changeInTransaction(deps, writing, applicationId, changes))
}

/** The same inside a transaction of the caller's. */
export async function changeInTransaction(
  deps: DirectoryWrites,
  writing: Writing,
  applicationId: string,
  changes: RegistrationChanges,
): Promise<Registration> {
  const record = await requireApplication(writing, applicationId)
  const { application } = record
  const lists = checkRedirectUris(changes, application.type === 'web' ? 'web' : 'native')
  const before = toRegistration(record)
  const name = checkNewName(before.name, changes.name ?? before.name, 'name', 'application', changes.verified)
  const { columns, ended } = changeOptions(before, changes)
  const origins = lists.redirectUris === undefined ? undefined : nextRedirectEpochs(before, lists.redirectUris)
  await checkNamesFree(deps, writing, before, { name, publisher: columns.publisher, applicationId })
  const row = await updateApplication(writing.tx, application.id, {
    ...columns,
    updated_at: writing.nowMs,
    name,
    ...(changes.state === undefined ? {} : { state: changes.state }),
    ...(origins === undefined ? {} : { redirect_epochs: origins.column }),
  })
  for (const [list, purpose] of purposes) {
    const uris = lists[list]
    if (uris !== undefined) await replaceRedirectUris(writing.tx, application.id, purpose, uris)
  }
  if (origins !== undefined) await noteNewOrigins(deps, writing, before, origins)
  recordApplication(writing, row ?? application)
  await revokeEnded(deps, writing, application, ended)
  const after = toRegistration(await requireApplication(writing, application.id))
  for (const event of changed(before, after, origins?.added)) await appendAudit(deps, writing.tx, event)
  return after
}

function createdBy({ actor }: DirectoryWrites): string {
  if (actor.kind === 'user') return actor.userId
  return actor.kind === 'application' ? actor.applicationId : ''
}

/** Refuses the tokens that these credentials got. */
async function revokeEnded(
  deps: DirectoryWrites,
  writing: Writing,
  application: ApplicationRow,
  ended: 'all' | readonly string[],
): Promise<void> {
  const { id } = application
  if (ended === 'all') return recordRevocations(deps, writing, [{ what: 'application', id }])
  const credentialIds = ended.map((kid) => clientKeyCredential(id, kid))
  await recordEndedCredentials(deps, writing, application, credentialIds)
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
  said: Omit<ApplicationRow, 'tenant_id' | 'type' | 'state' | 'audience' | 'created_at' | 'updated_at'>,
  input: RegistrationInput,
): Promise<ApplicationRow> {
  const { tx, nowMs } = writing
  const tenant = await requireTenant(writing, input.tenantId)
  if (tenant.state !== 'enabled') throw new DirectoryRefusal('NotInstallable', 'The tenant is disabled.', 'tenantId')
  await requireRoomForApplication(deps, writing, tenant.tenantId)
  await checkNamesFree(deps, writing, { name: '', publisher: '', tenantId: tenant.tenantId }, said)
  const row = {
    ...said,
    tenant_id: tenant.tenantId,
    type: input.type,
    state: 'enabled',
    audience: input.audience ?? 'home',
    created_at: nowMs,
    updated_at: nowMs,
  }
  await insertApplication(tx, row)
  await insertInstallation(tx, { application_id: row.id, tenant_id: tenant.tenantId, created_at: nowMs })
  return row
}

/** Whatever of the two is another one than before is nobody's yet, or the actor's own. */
async function checkNamesFree(
  deps: DirectoryWrites,
  { tx }: Writing,
  before: Pick<Registration, 'name' | 'publisher' | 'tenantId'>,
  after: { name: string; publisher: string; applicationId?: string },
): Promise<void> {
  const { tenantId } = before
  const { name, publisher, applicationId } = after
  const wanted = { tenantId, applicationId }
  if (name !== before.name) await checkNameFree(deps, tx, { ...wanted, name, target: 'name', of: 'application' })
  if (publisher === before.publisher || publisher === '') return
  await checkNameFree(deps, tx, { ...wanted, name: publisher, target: 'publisher', of: 'publisher' })
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
