// A waiting request when somebody comes back to it: who asks, and where the answer goes, as they are now.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { changeDocument } from '../../directory/documents/document-applications.js'
import type { Registration } from '../../directory/records.js'
import type { OAuthError } from '../../oauth/errors/errors.js'
import type { Membership } from '../../users/records.js'
import { actingAs } from '../../web/acting.js'
import type { Browser } from '../../web/browser.js'
import { requestGone } from '../../web/request-gone.js'
import { inTenant } from '../client/document-client.js'
import { requireKnownDocument } from '../client/known-document.js'
import { countFinished } from '../client/single-use.js'
import type { IdentityDependencies } from '../dependencies.js'
import type { AuthorizeRequest } from '../pending/authorize-request.js'
import { type PendingRequest, takePending } from '../pending/pending-request.js'
import { requireAnyClient, requireStillRegistered } from './client.js'
import { sendRefusal } from './refusal.js'
import type { AnswerTo } from './respond.js'

/** The request, and what it is measured by. */
export interface CurrentRequest {
  browser: Browser
  pending: PendingRequest
  authorizeRequest: AuthorizeRequest
  registration: Registration
  to: AnswerTo & { state: string | undefined }
}

/**
 * Ends the request with an error. Throws PageError when it had ended already, or nobody here knows the client,
 * OAuthError 503. Without a session there
 * is nothing to use up: nobody could have finished it, and nothing is written for nobody.
 */
export async function refuse(
  deps: IdentityDependencies,
  reply: FastifyReply,
  { browser, pending, registration, to }: CurrentRequest,
  error: OAuthError,
): Promise<FastifyReply> {
  await requireKnownDocument(deps, reply.request, { registration, session: browser.session }, error)
  if (browser.session === undefined) return sendRefusal(deps, reply, to, error)
  await countFinished(deps, browser.session.userId)
  if (!(await deps.store.transaction((tx) => takePending(tx, pending)))) throw requestGone({ isNew: false })
  return sendRefusal(deps, reply, to, error)
}

/**
 * The registration and the redirect URI as they are now: either may have changed while the request waited. `address`: of
 * the request. Throws PageError.
 */
export async function revalidate(
  deps: IdentityDependencies,
  { browser, address }: { browser: Browser; address: string },
  pending: PendingRequest,
  authorizeRequest: AuthorizeRequest,
): Promise<CurrentRequest> {
  return { browser, pending, authorizeRequest, ...(await findDestination(deps, authorizeRequest, address)) }
}

/**
 * The same with the client as the tenant has it, where nobody registered the client: the application that people there
 * have allowed or would allow. One whose document has changed since is made another first. Throws PageError,
 * StoreUnavailable.
 */
export async function inTenantOf(
  deps: IdentityDependencies,
  request: FastifyRequest,
  current: CurrentRequest,
  { tenantId, userId }: Membership,
): Promise<CurrentRequest> {
  if (current.registration.document === undefined) return current
  const { session } = current.browser
  if (session === undefined) throw new Error('nobody is signed in who could be in a tenant')
  const registration = await inTenant(deps, current.registration, tenantId, (after) =>
    changeDocument(actingAs(deps, request, { user: { userId }, session }), after),
  )
  if (registration === undefined) throw new Error('a client is nothing in a tenant')
  const redirectUri = requireStillRegistered(registration, current.to.redirectUri)
  return { ...current, registration, to: { ...current.to, redirectUri } }
}

/** Who sent the request, and where the answer goes. `address`: of the request. Throws PageError. */
export async function findDestination(
  deps: IdentityDependencies,
  authorizeRequest: AuthorizeRequest,
  address: string,
): Promise<Pick<CurrentRequest, 'registration' | 'to'>> {
  const { registration } = await requireAnyClient(deps, authorizeRequest, address)
  const redirectUri = requireStillRegistered(registration, authorizeRequest.redirectUri)
  return {
    registration,
    to: { redirectUri, responseMode: authorizeRequest.responseMode, state: authorizeRequest.state },
  }
}
