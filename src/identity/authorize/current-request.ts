// A waiting request when somebody comes back to it: who asks, and where the answer goes, as they are now.

import type { FastifyReply } from 'fastify'
import type { Registration } from '../../directory/records.js'
import type { OAuthError } from '../../oauth/errors/errors.js'
import type { Browser } from '../../web/browser.js'
import { requestGone } from '../../web/request-gone.js'
import { countFinished } from '../client/single-use.js'
import type { IdentityDependencies } from '../dependencies.js'
import type { AuthorizeRequest } from '../pending/authorize-request.js'
import { type PendingRequest, takePending } from '../pending/pending-request.js'
import { requireClient, requireStillRegistered } from './client.js'
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
 * Ends the request with an error. Throws PageError when it had ended already, OAuthError 503. Without a session there
 * is nothing to use up: nobody could have finished it, and nothing is written for nobody.
 */
export async function refuse(
  deps: IdentityDependencies,
  reply: FastifyReply,
  { browser, pending, to }: CurrentRequest,
  error: OAuthError,
): Promise<FastifyReply> {
  if (browser.session === undefined) return sendRefusal(deps, reply, to, error)
  await countFinished(deps, browser.session.userId)
  if (!(await deps.store.transaction((tx) => takePending(tx, pending)))) throw requestGone({ isNew: false })
  return sendRefusal(deps, reply, to, error)
}

/**
 * The registration and the redirect URI as they are now: either may have changed while the request waited. Throws
 * PageError.
 */
export async function revalidate(
  deps: IdentityDependencies,
  browser: Browser,
  pending: PendingRequest,
  authorizeRequest: AuthorizeRequest,
): Promise<CurrentRequest> {
  return { browser, pending, authorizeRequest, ...(await findDestination(deps, authorizeRequest)) }
}

/** Who sent the request, and where the answer goes. Throws PageError. */
export async function findDestination(
  deps: IdentityDependencies,
  authorizeRequest: AuthorizeRequest,
): Promise<Pick<CurrentRequest, 'registration' | 'to'>> {
  const { registration } = await requireClient(deps, authorizeRequest.applicationId)
  const redirectUri = requireStillRegistered(registration, authorizeRequest.redirectUri)
  return {
    registration,
    to: { redirectUri, responseMode: authorizeRequest.responseMode, state: authorizeRequest.state },
  }
}
