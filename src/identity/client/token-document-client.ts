// Which application a client means that sends the URL of a document to the token endpoint and its siblings: of each
// tenant there is another one, and what the client was given there says which. Nothing is fetched for it, and nothing
// of what is read here is believed: the endpoint proves it afterwards.

import { documentDigest } from '../../directory/documents/client-document.js'
import { takesClient } from '../../directory/documents/taken-clients.js'
import type { Registration } from '../../directory/records.js'
import type { RequestParameters } from '../../oauth/requests/parameters.js'
import { documentApplicationId } from '../../oauth/secrets/document-application-id.js'
import { parseGuid } from '../../oauth/secrets/guid.js'
import { hashOpaqueToken } from '../../oauth/secrets/opaque-token.js'
import { readAuthorizationCode } from '../../storage/sql/grants/authorization-codes.js'
import { longestToken } from '../../tokens/compact-jws.js'
import { readExternalJson } from '../../tokens/external/external-json.js'
import type { IdentityDependencies } from '../dependencies.js'
import { findRefreshToken } from '../refresh-family.js'

type Deps = Pick<IdentityDependencies, 'derive' | 'directory' | 'documents' | 'store'>

/**
 * The application of the client at `url` that a request of it is about; undefined when there is none, or its host is
 * not taken any more, here or in the tenant. Throws StoreUnavailable.
 */
export async function findTokenDocumentClient(
  deps: Deps,
  url: string,
  parameters: RequestParameters,
): Promise<Registration | undefined> {
  if (!deps.documents.isTrusted(url)) return undefined
  const applicationId = await namedApplication(deps, url, parameters)
  const registration = applicationId === undefined ? undefined : await deps.directory.findRegistration(applicationId)
  if (registration?.document?.url !== url) return undefined
  const tenant = await deps.directory.findTenant(registration.tenantId)
  return tenant !== undefined && takesClient(tenant, url) ? withKnownKeys(deps, registration) : undefined
}

/** Keys at an address change without the client becoming another one: those of the last copy count. */
function withKnownKeys({ documents }: Pick<Deps, 'documents'>, registration: Registration): Registration {
  const { document, type } = registration
  const known = document === undefined || type !== 'web' ? undefined : documents.known(document.url)
  if (document === undefined || known?.jwksUri === undefined || known.fetchedAt <= document.fetchedAt)
    return registration
  return documentDigest(known) === document.digest ? { ...registration, jwks: known.jwks } : registration
}

async function namedApplication(deps: Deps, url: string, parameters: RequestParameters): Promise<string | undefined> {
  const code = parameters.get('code')
  if (code !== undefined) {
    return (await readAuthorizationCode(deps.store.reader, hashOpaqueToken(code)))?.application_id
  }
  const token = parameters.get('refresh_token') ?? parameters.get('token')
  if (token === undefined) return undefined
  const grant = (await findRefreshToken(deps, token))?.grant
  if (grant !== undefined) return grant.application_id
  const tenantId = claimedTenant(token)
  return tenantId === undefined ? undefined : documentApplicationId(url, tenantId)
}

/** Of an access token, unverified. */
function claimedTenant(token: string): string | undefined {
  if (token.length > longestToken) return undefined
  try {
    const { tid } = readExternalJson(Buffer.from(token.split('.', 2)[1] ?? '', 'base64url'))
    return typeof tid === 'string' ? parseGuid(tid) : undefined
  } catch {
    return undefined
  }
}
