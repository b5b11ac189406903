// GET /api/v2/oauth2/v2.0/adminconsent (contract §4): which application asks, and where its answer may go; then the
// request waits for a person. What else is wrong with it is told when somebody has signed in, so that nobody is sent on
// blindly.

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Registration } from '../../directory/records.js'
import { requestContext } from '../../http/requests/request-context.js'
import type { Said } from '../../languages/texts.js'
import { OAuthError } from '../../oauth/errors/errors.js'
import { readAuthorizationParameters } from '../../oauth/requests/authorization-request.js'
import type { RequestParameters } from '../../oauth/requests/parameters.js'
import type { Browser } from '../../web/browser.js'
import { localesWish, wishLanguage } from '../../web/language/reader-language.js'
import { queryTextOf } from '../../web/page-address.js'
import { PageError } from '../../web/pages/page-error.js'
import { requireClient } from '../authorize/client.js'
import type { IdentityDependencies } from '../dependencies.js'
import { resumePath } from '../pending/paths.js'
import { beginPending } from '../pending/pending-request.js'
import { type AdminConsentRequest, findAdminConsentUri } from './request.js'

/** Seals the request for this browser and sends it on. Throws PageError 400. */
export async function answerAdminConsent(
  deps: IdentityDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  browser: Browser,
): Promise<FastifyReply> {
  const language = localesWish(queryTextOf(request))
  wishLanguage(request, language, deps.now())
  const parameters = readParameters(queryTextOf(request))
  const { registration } = await requireClient(deps, parameters.get('client_id'))
  const { applicationId } = registration
  requestContext(request).entry.applicationId = applicationId
  const body: AdminConsentRequest = {
    applicationId,
    ...given('redirectUri', requireRegistered(registration, parameters.get('redirect_uri'))),
    ...given('state', parameters.get('state')),
    ...given('scope', parameters.get('scope') ?? parameters.get('requested_scopes')),
    ...given('tenant', parameters.get('tenant') ?? parameters.get('requested_enrollment')),
  }
  const pending = beginPending(deps, browser, { kind: 'admin-consent', applicationId, language, body })
  return reply.redirect(resumePath(pending), 303)
}

function readParameters(text: string): RequestParameters {
  try {
    return readAuthorizationParameters(text)
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    throw refusal('malformed_request', error.description, error)
  }
}

function requireRegistered(registration: Registration, presented: string | undefined): string | undefined {
  if (presented === undefined || findAdminConsentUri(registration, presented) !== undefined) return presented
  throw refusal('redirect_uri_mismatch', ({ errors }) => errors.consentRequest.otherRedirect)
}

function given<Name extends keyof AdminConsentRequest>(name: Name, value: AdminConsentRequest[Name]) {
  return value === undefined ? {} : { [name]: value }
}

function refusal(reason: string, what: Said, cause?: unknown): PageError {
  return new PageError({
    status: 400,
    title: ({ errors }) => errors.consentRequest.title,
    what,
    remedy: ({ errors }) => errors.contactDeveloper,
    reason,
    cause,
  })
}
