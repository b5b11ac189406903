// Which client asks, and where its answer may go (RFC 6749 §3.1.2, §4.1.2.1; R1, R5). Until both are certain there is
// nobody to redirect to: what is wrong here is a page, without a way on that the request could have chosen.

import { nearestName } from '../../config/report/suggest.js'
import type { Registration } from '../../directory/records.js'
import type { Said } from '../../languages/texts.js'
import type { RequestParameters } from '../../oauth/requests/parameters.js'
import { findRedirectUri, type VerifiedRedirectUri } from '../../oauth/requests/redirect-uri.js'
import { parseClientIdentifier } from '../../oauth/secrets/client-identifier.js'
import { isUnregisteredClientId } from '../../oauth/secrets/document-application-id.js'
import { findMembership } from '../../users/memberships/memberships.js'
import { isAtLeast } from '../../users/memberships/roles.js'
import type { Browser } from '../../web/browser.js'
import { PageError } from '../../web/pages/page-error.js'
import { requireDocumentClient } from '../client/document-client.js'
import type { IdentityDependencies } from '../dependencies.js'

/** A registered, enabled application, and the identifier by which it called itself, in its stored form. */
export interface NamedClient {
  registration: Registration
  clientIdentifier: string
}

type Deps = Pick<IdentityDependencies, 'directory' | 'store'>

/**
 * The client of a request, as it named itself or, once that is known, as its application: also one that nobody
 * registered, where such are taken (decision 152). `address`: of the request. Throws PageError, StoreUnavailable.
 */
export async function requireAnyClient(
  deps: Deps & Pick<IdentityDependencies, 'documents' | 'settings'>,
  { applicationId = '', clientIdentifier }: { applicationId?: string; clientIdentifier: string | undefined },
  address: string,
): Promise<NamedClient> {
  if (applicationId !== '') return requireClient(deps, applicationId)
  if (!deps.documents.isOn || !isUnregisteredClientId(clientIdentifier)) return requireClient(deps, clientIdentifier)
  return { registration: await requireDocumentClient(deps, clientIdentifier, address), clientIdentifier }
}

/** A registered client, by either of its identifiers. Throws PageError 400, StoreUnavailable. */
export async function requireClient(deps: Deps, clientId: string | undefined): Promise<NamedClient> {
  if (clientId === undefined) {
    throw refusal('client_missing', ({ errors }) => errors.misconfigured.noClient)
  }
  const clientIdentifier = parseClientIdentifier(clientId)
  const registration =
    clientIdentifier === undefined ? undefined : await deps.directory.findRegistration(clientIdentifier)
  // A client that nobody registered has the one name under which its document is looked at.
  if (clientIdentifier === undefined || registration === undefined || registration.document !== undefined) {
    throw refusal('client_unknown', ({ errors }) => errors.misconfigured.unknownClient)
  }
  requireEnabled(registration)
  return { registration, clientIdentifier }
}

/** Throws PageError 400. */
function requireEnabled({ state }: Registration): void {
  if (state === 'enabled') return
  throw refusal(
    'application_disabled',
    ({ errors }) => errors.misconfigured.disabled,
    ({ errors }) => errors.misconfigured.disabledRemedy,
  )
}

/**
 * The redirect URI of the request, when it is registered. Throws PageError 400; only a developer of the application's
 * own tenant, signed in, is told what was sent and which registered address comes nearest.
 */
export async function requireRedirectUri(
  deps: Deps,
  registration: Registration,
  parameters: RequestParameters,
  browser: Pick<Browser, 'session'> | undefined,
): Promise<VerifiedRedirectUri> {
  const presented = parameters.get('redirect_uri')
  if (presented === undefined) {
    throw refusal('redirect_uri_missing', ({ errors }) => errors.misconfigured.noRedirect)
  }
  const found = findRedirectUri(registration.redirectUris, presented, registration.type)
  if (found !== undefined) return found
  const known: Said = ({ errors }) => errors.misconfigured.otherRedirect
  // What a document says is no secret.
  const isPublic = registration.document !== undefined
  if (!isPublic && !(await mayKnow(deps, registration, browser))) throw refusal('redirect_uri_mismatch', known)
  const sent: Said = ({ errors: { misconfigured } }) =>
    misconfigured.sent(misconfigured.otherRedirect, shown(presented))
  throw refusal('redirect_uri_mismatch', sent, advice(registration, presented))
}

/**
 * The redirect URI of a request that waited, matched again: it may have been removed meanwhile, and the application
 * disabled. Throws PageError 400.
 */
export function requireStillRegistered(registration: Registration, redirectUri: string): VerifiedRedirectUri {
  requireEnabled(registration)
  const found = findRedirectUri(registration.redirectUris, redirectUri, registration.type)
  if (found !== undefined) return found
  throw refusal('redirect_uri_mismatch', ({ errors }) => errors.misconfigured.goneRedirect)
}

function advice(registration: Registration, presented: string): Said {
  const near = nearestName(presented, registration.redirectUris) ?? registration.redirectUris[0]
  return ({ errors: { misconfigured } }) => {
    const nearest = near === undefined ? misconfigured.noneRegistered : misconfigured.nearest(shown(near))
    return registration.document === undefined ? misconfigured.compared(nearest) : nearest
  }
}

async function mayKnow(deps: Deps, { tenantId }: Registration, browser: Pick<Browser, 'session'> | undefined) {
  if (browser?.session === undefined) return false
  const membership = await findMembership(deps.store.reader, browser.session.userId, tenantId)
  return membership !== undefined && isAtLeast(membership.role, 'developer')
}

/** As text, shortened and without anything that is not plain: a page shows it, and never as a link. */
function shown(uri: string): string {
  const plain = uri.replace(/[^\x21-\x7e]/g, '?')
  return plain.length <= 300 ? plain : `${plain.slice(0, 297)}...`
}

function refusal(reason: string, what: Said, remedy?: Said): PageError {
  return new PageError({
    status: 400,
    title: ({ errors }) => errors.misconfigured.title,
    what,
    remedy: remedy ?? (({ errors }) => errors.contactDeveloper),
    reason,
  })
}
