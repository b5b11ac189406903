// A client that nobody registered, at the token endpoint: what it was allowed was allowed to what its document said then
// (decision 152). When a newer one is known, nothing of that is served any more. Nobody waits here for a fetch: while the
// host of the document is away, what is known stands.

import type { FastifyRequest } from 'fastify'
import { writesAs } from '../../directory/actor.js'
import { changeDocument } from '../../directory/documents/document-applications.js'
import { documentRegistration } from '../../directory/documents/document-registration.js'
import { renewDocumentKeys } from '../../directory/documents/renewed-keys.js'
import type { Registration } from '../../directory/records.js'
import { errorNumber } from '../../oauth/errors/error-numbers.js'
import { originOf } from '../../web/origin.js'
import type { IdentityDependencies } from '../dependencies.js'
import { invalidGrant } from './grants/invalid-grant.js'

type Deps = Pick<IdentityDependencies, 'directory' | 'documents' | 'writes'>

/**
 * Ends what the client has when its document has become another one; throws OAuthError `invalid_grant` then. Where only
 * the keys at its address are others, they are kept. Throws StoreUnavailable.
 */
export async function refuseChangedDocument(
  { directory, documents, writes }: Deps,
  { applicationId, tenantId, configured, document }: Registration,
  request: FastifyRequest,
): Promise<void> {
  const known = document === undefined ? undefined : documents.known(document.url)
  if (document === undefined || known === undefined) return
  if (known.fetchedAt <= document.fetchedAt) return
  const acting = writesAs(writes, originOf(request, { kind: 'application', applicationId }))
  const after = documentRegistration(known, { tenantId, configured })
  if (after.document.digest === document.digest) {
    if (known.jwksUri === undefined) return
    const stored = await directory.findRegistration(applicationId)
    if (JSON.stringify(stored?.jwks) !== JSON.stringify(known.jwks)) await renewDocumentKeys(acting, after)
    return
  }
  await changeDocument(acting, after)
  const description = 'The metadata document of the client has changed. People have to allow it once more.'
  throw invalidGrant(description, errorNumber.noConsent, 'document_changed')
}
