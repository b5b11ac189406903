// Ends a waiting request with a refusal, for the pages that ask the person something: they say no, and the client hears
// it (C5, RFC 6749 §4.1.2.1).

import type { FastifyReply } from 'fastify'
import { requestContext } from '../../http/requests/request-context.js'
import { errorNumber } from '../../oauth/errors/error-numbers.js'
import { OAuthError } from '../../oauth/errors/errors.js'
import type { Browser } from '../../web/browser.js'
import { requestGone } from '../../web/request-gone.js'
import type { IdentityDependencies } from '../dependencies.js'
import { readAuthorizeRequest } from '../pending/authorize-request.js'
import type { PendingRequest } from '../pending/pending-request.js'
import { refuse, revalidate } from './current-request.js'

/**
 * Sends the client `access_denied`. Throws PageError when the request is none of authorization or cannot be answered.
 */
export async function refusePending(
  deps: IdentityDependencies,
  reply: FastifyReply,
  browser: Browser,
  pending: PendingRequest,
): Promise<FastifyReply> {
  const authorizeRequest = readAuthorizeRequest(pending)
  if (authorizeRequest === undefined) throw requestGone({ isNew: false })
  const { address } = requestContext(reply.request)
  const current = await revalidate(deps, { browser, address }, pending, authorizeRequest)
  const error = new OAuthError('access_denied', 'The person did not allow it.', { number: errorNumber.declined })
  return refuse(deps, reply, current, error)
}
