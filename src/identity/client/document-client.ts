// Clients that nobody registered, and that name themselves by the URL of a document (decision 152) or registered
// themselves (decision 158): the registration that they would be, or have become, in the tenant of the person who decides.

import { DocumentRefused } from '../../client-documents/document-refused.js'
import {
  type DocumentRegistration,
  documentPermissions,
  documentRegistration,
} from '../../directory/documents/document-registration.js'
import type { DocumentFacts, Registration } from '../../directory/records.js'
import { documentApplicationId } from '../../oauth/secrets/document-application-id.js'
import { PageError } from '../../web/pages/page-error.js'
import type { IdentityDependencies } from '../dependencies.js'

type Deps = Pick<IdentityDependencies, 'directory' | 'documents' | 'settings'>

/**
 * The client as its document describes it now, of no tenant yet. `address`: of the request. Throws PageError that
 * tells its developer what is wrong.
 */
export async function requireDocumentClient(
  { documents, settings }: Pick<Deps, 'documents' | 'settings'>,
  url: string,
  address: string,
): Promise<DocumentRegistration> {
  try {
    const document = await documents.find(url, address)
    return documentRegistration(document, { configured: documentPermissions(settings.catalogue) })
  } catch (error) {
    if (error instanceof DocumentRefused) throw toPageError(url, error)
    throw error
  }
}

/**
 * The same client in a tenant: the application that its people allowed, or the one that they would. Of an application
 * that came of an older document `change` makes another one first; without it, undefined. A registration that somebody
 * made stays what it is. Throws StoreUnavailable.
 */
export async function inTenant(
  { directory }: Pick<Deps, 'directory'>,
  client: Registration,
  tenantId: string,
  change?: (after: DocumentRegistration) => Promise<unknown>,
): Promise<Registration | undefined> {
  const { document } = client
  if (document === undefined) return client
  const applicationId = documentApplicationId(document.url, tenantId)
  const bound = { ...client, applicationId, tenantId, document }
  const stored = await directory.findRegistration(applicationId)
  if (stored?.document === undefined) return bound
  // Another instance may have fetched it later than this one.
  if (stored.document.digest === document.digest) return withName(stored, stored.document, document)
  if (stored.document.fetchedAt >= document.fetchedAt) return stored
  if (change === undefined) return undefined
  await change(bound)
  return (await directory.findRegistration(applicationId)) ?? bound
}

/** What it calls itself now, with what it called itself before. */
function withName(stored: Registration, before: DocumentFacts, { clientName, fetchedAt }: DocumentFacts): Registration {
  if (before.clientName === clientName) return stored
  return { ...stored, document: { ...before, clientName, formerName: before.clientName, fetchedAt } }
}

function unknownClient(cause: DocumentRefused): PageError {
  return new PageError({
    status: 400,
    title: ({ errors }) => errors.misconfigured.title,
    what: ({ errors }) => errors.misconfigured.unknownClient,
    remedy: ({ errors }) => errors.contactDeveloper,
    reason: cause.reason,
    cause,
  })
}

function toPageError(url: string, error: DocumentRefused): PageError {
  const { reason, message, isPassing } = error
  if (reason === 'client_unknown') return unknownClient(error)
  const isUntrusted = reason === 'document_untrusted'
  const shown = url.slice(0, 200).replace(/[^\x21-\x7e]/g, '?')
  return new PageError({
    status: reason === 'document_busy' ? 503 : 400,
    title: ({ errors }) => errors.misconfigured.title,
    what: ({ errors: { misconfigured } }) =>
      isUntrusted ? misconfigured.documentUntrusted(new URL(url).host) : misconfigured.document(shown, message),
    remedy: ({ errors }) => (isUntrusted ? errors.misconfigured.documentUntrustedRemedy : errors.contactDeveloper),
    reason,
    ...(isPassing ? { retryAfterSeconds: 10 } : {}),
    cause: error,
  })
}
