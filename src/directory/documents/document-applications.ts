// The application of a client that nobody registered (decision 152): made when somebody in the tenant allows it for the
// first time, so that somebody who invents URLs writes nothing; and made another one when its document says something else
// about where answers go or how it proves itself. What people had allowed was allowed to the one before.

import { appendAudit } from '../../ledger/append-audit.js'
import { createPublicKey } from '../../oauth/secrets/client-identifier.js'
import { endGrants } from '../../revocation/end-grants.js'
import { replaceConfiguredPermissions, replaceRedirectUris } from '../../storage/sql/registrations/application-lists.js'
import { insertApplication, readApplications } from '../../storage/sql/registrations/applications.js'
import {
  putClientDocument,
  updateDocumentApplication,
} from '../../storage/sql/registrations/documents/client-documents.js'
import { hasManyDocuments } from '../../storage/sql/registrations/documents/document-counts.js'
import { insertInstallation } from '../../storage/sql/registrations/installations.js'
import { requireRoomForApplication } from '../applications/application-quota.js'
import { changeOptions, defaultOptions } from '../applications/registration-options.js'
import { withdrawInTransaction } from '../consents/admin-consent.js'
import { forgetInTransaction } from '../consents/consents.js'
import { registered } from '../ledger-events.js'
import type { Registration } from '../records.js'
import { DirectoryRefusal } from '../refusal.js'
import { toRegistration } from '../rows.js'
import { type DirectoryWrites, recordApplication, requireApplication, type Writing, write } from '../writes.js'
import type { DocumentRegistration } from './document-registration.js'

/** Applications that one person has brought into a tenant in this way. */
const mostOfOne = 100

/**
 * Makes the application, inside the transaction in which a person of its tenant allows it, or brings its configured
 * permissions up to date. False when the one that is there came of another document, or is disabled: then nothing was
 * written. Throws DirectoryRefusal (TooManyApplications, TenantNotFound).
 */
export async function ensureDocumentApplication(
  deps: DirectoryWrites,
  writing: Writing,
  registration: DocumentRegistration,
): Promise<boolean> {
  const { tx } = writing
  const { applicationId, configured, document } = registration
  const [before] = await readApplications(tx, 'id', applicationId)
  if (before === undefined) await insert(deps, writing, registration)
  else if (before.document?.digest !== document.digest || before.application.state !== 'enabled') return false
  const permissions = configured.map(({ kind, resource, id }) => ({ kind, resource, permission_id: id }))
  await replaceConfiguredPermissions(tx, applicationId, permissions)
  if (before?.document !== undefined && before.document.client_name !== document.clientName) {
    await putClientDocument(tx, rowOf(registration, writing))
  }
  const record = await requireApplication(writing, applicationId)
  recordApplication(writing, record.application)
  if (before === undefined) {
    const event = registered(toRegistration(record))
    await appendAudit(deps, tx, { ...event, details: { ...event.details, clientId: document.url } })
  }
  return true
}

/**
 * Makes the application what a newer document says: what people and administrators allowed is forgotten, its grants end,
 * and everybody is prompted once more. False when there is no such application, or it came of a document that is as new.
 * Throws StoreUnavailable.
 */
export async function changeDocument(deps: DirectoryWrites, after: DocumentRegistration): Promise<boolean> {
  const { applicationId, tenantId, document } = after
  return write(deps, async (writing) => {
    const [record] = await readApplications(writing.tx, 'id', applicationId)
    const before = record === undefined ? undefined : toRegistration(record)
    if (record === undefined || before?.document === undefined) return false
    if (before.document.digest === document.digest || before.document.fetchedAt >= document.fetchedAt) return false
    const { columns } = optionsOf(after)
    await updateDocumentApplication(writing.tx, applicationId, {
      type: after.type,
      auth_method: columns.auth_method,
      jwks: columns.jwks,
      require_pkce: columns.require_pkce,
      updated_at: writing.nowMs,
    })
    await replaceRedirectUris(writing.tx, applicationId, 'redirect', after.redirectUris)
    await putClientDocument(writing.tx, rowOf(after, writing))
    recordApplication(writing, record.application)
    await forgetInTransaction(deps, writing, { applicationId, tenantId }, () =>
      endGrants(deps, writing, { applicationId }, 'document-changed'),
    )
    await withdrawInTransaction(deps, writing, applicationId, { tenantId, permissions: 'all' })
    await appendAudit(deps, writing.tx, {
      event: 'client.document-changed',
      applicationId,
      tenantId,
      details: { clientId: document.url, ...differences(before, after) },
    })
    return true
  })
}

async function insert(deps: DirectoryWrites, writing: Writing, registration: DocumentRegistration): Promise<void> {
  const { tx, nowMs } = writing
  const { applicationId, tenantId, name, type, redirectUris } = registration
  const by = deps.actor.kind === 'user' ? deps.actor.userId : ''
  if (await hasManyDocuments(tx, { tenantId, by }, mostOfOne)) {
    const message = `You have brought ${mostOfOne} clients into this tenant that nobody registered: withdraw what you allowed some of them. They leave 30 days later.`
    throw new DirectoryRefusal('TooManyApplications', message)
  }
  await requireRoomForApplication(deps, writing, tenantId)
  await insertApplication(tx, {
    id: applicationId,
    public_key: createPublicKey(),
    name,
    ...optionsOf(registration).columns,
    created_by: by,
    redirect_epochs: '',
    tenant_id: tenantId,
    type,
    state: 'enabled',
    audience: 'home',
    created_at: nowMs,
    updated_at: nowMs,
  })
  await insertInstallation(tx, { application_id: applicationId, tenant_id: tenantId, created_at: nowMs })
  await replaceRedirectUris(tx, applicationId, 'redirect', redirectUris)
  await putClientDocument(tx, rowOf(registration, writing))
}

function optionsOf({ type, jwks }: Registration): ReturnType<typeof changeOptions> {
  const proof = type === 'web' ? ({ authMethod: 'private_key_jwt', requirePkce: true, jwks } as const) : {}
  return changeOptions(defaultOptions(type), { ...proof, deviceCodes: 'off' })
}

function rowOf({ applicationId, grantTypes = [], document }: DocumentRegistration, { nowMs }: Writing) {
  return {
    application_id: applicationId,
    url: document.url,
    client_name: document.clientName,
    grant_types: JSON.stringify(grantTypes),
    digest: document.digest,
    fetched_at: document.fetchedAt,
    updated_at: nowMs,
  }
}

/** What of the client is another one, as the ledger tells of changes. */
function differences(before: Registration, after: Registration): Record<string, unknown> {
  const kids = ({ jwks }: Registration) => (jwks?.keys ?? []).map(({ kid }) => String(kid))
  const changes = (one: readonly string[], other: readonly string[]) => ({
    added: other.filter((each) => !one.includes(each)),
    removed: one.filter((each) => !other.includes(each)),
  })
  return {
    redirectUris: changes(before.redirectUris, after.redirectUris),
    keys: changes(kids(before), kids(after)),
    ...(before.type === after.type ? {} : { type: { before: before.type, after: after.type } }),
  }
}
