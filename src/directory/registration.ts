// Registering an application, and changing what its developer may change. Both identifiers are made here and never
// chosen by anyone (K6).

import { randomUUID } from 'node:crypto'
import { replaceConfiguredPermissions, replaceRedirectUris } from '../memory/store/application-lists.js'
import { type ApplicationRow, insertApplication, updateApplication } from '../memory/store/applications.js'
import { insertInstallation } from '../memory/store/installations.js'
import { createPublicKey } from '../oauth/client-identifier.js'
import { insertConsent } from './admin-consent.js'
import { checkName } from './names.js'
import { insertPreparedSecret, type NewSecret, prepareSecret } from './new-secret.js'
import { checkConsentable, checkPermissions } from './permission-rules.js'
import type { PermissionRef, Registration } from './records.js'
import { checkRedirectUris, type RedirectUriLists } from './redirect-uri-lists.js'
import { DirectoryRefusal } from './refusal.js'
import { toRegistration } from './rows.js'
import { requireTenant } from './tenants.js'
import { type DirectoryWrites, recordApplication, requireApplication, type Writing, write } from './writes.js'

const dayMs = 86_400_000
const purposes = [
  ['redirectUris', 'redirect'],
  ['adminConsentRedirectUris', 'admin-consent'],
  ['logoutRedirectUris', 'logout'],
] as const

export interface RegistrationInput extends RedirectUriLists {
  name: string
  type: 'web' | 'native'
  /** Home tenant. */
  tenantId: string
  audience?: 'home' | 'any' | undefined
  permissions?: readonly PermissionRef[] | undefined
  /** Who consents to all of `permissions` in the home tenant at once; absent: nobody does. */
  consentBy?: string | undefined
  /** For the first secret of a web application; default: label `first`, 180 days. */
  secret?: { label?: string | undefined; lifetimeMs?: number | undefined } | undefined
}

/**
 * Registers an application with everything that belongs to it, in one transaction; web applications get their first
 * secret, shown here and never again. Throws DirectoryRefusal for each rule of contract §2, and StoreUnavailable.
 */
export async function registerApplication(
  deps: DirectoryWrites,
  input: RegistrationInput,
): Promise<{ registration: Registration; secret: NewSecret | undefined }> {
  const identity = { id: randomUUID() as string, public_key: createPublicKey(), name: checkName(input.name, 'name') }
  const lists = checkRedirectUris(input, input.type)
  const permissions = checkPermissions(deps.catalogue, input.type, input.permissions ?? [])
  const made = prepareFirstSecret(deps, input)
  return write(deps, async (writing) => {
    const row = await insertEnabled(writing, identity, input)
    for (const [list, purpose] of purposes) await replaceRedirectUris(writing.tx, row.id, purpose, lists[list] ?? [])
    await replaceConfiguredPermissions(
      writing.tx,
      row.id,
      permissions.map(({ kind, resource, id }) => ({ kind, resource, permission_id: id })),
    )
    const secret = made === undefined ? undefined : await insertPreparedSecret(writing, row, made)
    const registration = toRegistration(await requireApplication(writing, row.id))
    if (input.consentBy !== undefined) await consentAtHome(deps, writing, registration, input.consentBy)
    recordApplication(writing, row)
    return { registration, secret }
  })
}

/**
 * Changes a name, the state, or whole lists of redirect URIs. Disabling refuses the application's tokens from this change
 * on, until it is enabled again. Throws DirectoryRefusal (ApplicationNotFound, InvalidName, InvalidRedirectUri).
 */
export async function changeApplication(
  deps: DirectoryWrites,
  applicationId: string,
  changes: RedirectUriLists & { name?: string | undefined; state?: 'enabled' | 'disabled' | undefined },
): Promise<Registration> {
  const name = changes.name === undefined ? undefined : checkName(changes.name, 'name')
  return write(deps, async (writing) => {
    const { application } = await requireApplication(writing, applicationId)
    const lists = checkRedirectUris(changes, application.type === 'web' ? 'web' : 'native')
    const row = await updateApplication(writing.tx, application.id, {
      updated_at: writing.nowMs,
      ...(name === undefined ? {} : { name }),
      ...(changes.state === undefined ? {} : { state: changes.state }),
    })
    for (const [list, purpose] of purposes) {
      const uris = lists[list]
      if (uris !== undefined) await replaceRedirectUris(writing.tx, application.id, purpose, uris)
    }
    recordApplication(writing, row ?? application)
    return toRegistration(await requireApplication(writing, application.id))
  })
}

function prepareFirstSecret(deps: DirectoryWrites, { type, secret }: RegistrationInput) {
  if (type === 'web') {
    return prepareSecret(deps, { label: secret?.label ?? 'first', lifetimeMs: secret?.lifetimeMs ?? 180 * dayMs })
  }
  if (secret === undefined) return undefined
  throw new DirectoryRefusal('NativeApplication', 'A native application cannot keep a secret, so it has none.')
}

async function insertEnabled(
  writing: Writing,
  identity: Pick<ApplicationRow, 'id' | 'public_key' | 'name'>,
  input: RegistrationInput,
): Promise<ApplicationRow> {
  const { tx, nowMs } = writing
  const tenant = await requireTenant(writing, input.tenantId)
  if (tenant.state !== 'enabled') throw new DirectoryRefusal('NotInstallable', 'The tenant is disabled.', 'tenantId')
  const row = {
    ...identity,
    tenant_id: tenant.tenantId,
    type: input.type,
    state: 'enabled',
    audience: input.audience ?? 'home',
    require_pkce: 0,
    auth_method: 'secret',
    jwks: null,
    id_token_alg: 'RS256',
    publisher: '',
    verified: 0,
    created_at: nowMs,
    updated_at: nowMs,
  }
  await insertApplication(tx, row)
  await insertInstallation(tx, { application_id: row.id, tenant_id: tenant.tenantId, created_at: nowMs })
  return row
}

async function consentAtHome(deps: DirectoryWrites, writing: Writing, registration: Registration, by: string) {
  const tenant = await requireTenant(writing, registration.tenantId)
  const permissions = checkConsentable(deps.catalogue, registration, tenant, 'all')
  await insertConsent(writing, registration.applicationId, tenant.tenantId, { permissions, by })
}
