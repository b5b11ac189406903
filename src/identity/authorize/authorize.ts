// The authorization endpoint (RFC 6749 §3.1, OpenID Connect Core §3.1.2, contract §4): which client, where to, is the
// request right; then it waits, sealed in an address, and resume.ts takes it on. A POST comes from another site, so
// browsers send it no cookies: it is sealed for the browser that comes next with that address, which is the same
// browser, with a GET.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { requestContext } from '../../http/requests/request-context.js'
import type { Language } from '../../languages/language.js'
import { errorNumber } from '../../oauth/errors/error-numbers.js'
import { OAuthError } from '../../oauth/errors/errors.js'
import { readAuthorizationParameters } from '../../oauth/requests/authorization-request.js'
import type { Browser } from '../../web/browser.js'
import { bodyText } from '../../web/form-body.js'
import { localesWish, wishLanguage } from '../../web/language/reader-language.js'
import { queryTextOf } from '../../web/page-address.js'
import { PageError } from '../../web/pages/page-error.js'
import { requestGone } from '../../web/request-gone.js'
import { requireKnownDocument } from '../client/known-document.js'
import type { IdentityDependencies } from '../dependencies.js'
import { type AuthorizeRequest, readAuthorizeRequest } from '../pending/authorize-request.js'
import { resumePath } from '../pending/paths.js'
import { beginPending, changedPending, findPending, type PendingRequest } from '../pending/pending-request.js'
import { checkRequest } from './check-request.js'
import { requireAnyClient, requireRedirectUri } from './client.js'
import { findDestination } from './current-request.js'
import { loginRequired, sendRefusal, toError } from './refusal.js'
import { goOn } from './resume.js'

/** Stands for the browser that has not come back yet. */
const anybody = { key: 'posted' }
/** A redirect takes moments. */
const postedLifetimeMs = 5 * 60_000
/** People take longer. */
const lifetimeMs = 60 * 60_000
/** Of state, and of nonce. */
const mostReturnedBytes = 1024

/** GET: decides the request as far as it goes. Throws PageError. */
export async function answerAuthorize(
  deps: IdentityDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  browser: Browser,
): Promise<FastifyReply> {
  refuseHead(request)
  const language = localesWish(queryTextOf(request))
  wishLanguage(request, language, deps.now())
  const authorizeRequest = await readRequest(deps, request, queryTextOf(request), browser)
  return begin(deps, reply, browser, { authorizeRequest, language })
}

/** POST: seals the request for the browser and redirects the browser to it. Throws PageError. */
export async function answerPostedAuthorize(
  deps: IdentityDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const text = bodyText(request.body) ?? '%'
  const language = localesWish(text)
  wishLanguage(request, language, deps.now())
  const authorizeRequest = await readRequest(deps, request, text, undefined)
  const pending = beginPending(deps, anybody, {
    kind: 'authorize',
    applicationId: authorizeRequest.applicationId || undefined,
    language,
    body: authorizeRequest,
    lifetimeMs: postedLifetimeMs,
  })
  return reply.redirect(resumePath(pending), 303)
}

/** GET …/resume/<id>: goes on with a request of this browser, or takes up one that was posted. Throws PageError. */
export async function answerResume(
  deps: IdentityDependencies,
  request: FastifyRequest,
  reply: FastifyReply,
  browser: Browser,
): Promise<FastifyReply> {
  refuseHead(request)
  const { id } = request.params as { id: string }
  const pending = await findPending(deps, browser, id)
  const authorizeRequest = pending === undefined ? undefined : readAuthorizeRequest(pending)
  if (pending !== undefined && authorizeRequest !== undefined)
    return goOn(deps, reply, browser, pending, authorizeRequest)
  const posted = await findPending(deps, anybody, id)
  const taken = posted === undefined ? undefined : readAuthorizeRequest(posted)
  if (posted === undefined || taken === undefined) throw requestGone(browser)
  return begin(deps, reply, browser, { authorizeRequest: taken, language: posted.language }, posted)
}

/**
 * The request waits from now on for this browser, and knows who was signed in when it came. One that may show no page
 * has nothing to wait for when nobody is. `posted`: what it was until now; however often that is taken up, one of them
 * finishes.
 */
async function begin(
  deps: IdentityDependencies,
  reply: FastifyReply,
  browser: Browser,
  { authorizeRequest: request, language }: { authorizeRequest: AuthorizeRequest; language: Language | undefined },
  posted?: PendingRequest,
): Promise<FastifyReply> {
  const { session } = browser
  if (session === undefined && request.prompt.includes('none')) {
    const { to, registration } = await findDestination(deps, request, requestContext(reply.request).address)
    const error = request.error === undefined ? loginRequired() : toError(request.error)
    await requireKnownDocument(deps, reply.request, { registration, session }, error)
    return sendRefusal(deps, reply, to, error)
  }
  const authorizeRequest =
    session === undefined
      ? request
      : { ...request, sessionBefore: session.idHash, authenticatedBefore: session.authenticatedAt }
  const applicationId = authorizeRequest.applicationId || undefined
  const pending =
    posted === undefined
      ? beginPending(deps, browser, { kind: 'authorize', applicationId, language, body: authorizeRequest, lifetimeMs })
      : changedPending(deps, browser, posted, { body: authorizeRequest, expiresAt: posted.createdAt + lifetimeMs })
  return goOn(deps, reply, browser, pending, authorizeRequest)
}

async function readRequest(
  deps: IdentityDependencies,
  request: FastifyRequest,
  text: string,
  browser: Browser | undefined,
): Promise<AuthorizeRequest> {
  const parameters = readParameters(text)
  const { address, entry } = requestContext(request)
  const client = await requireAnyClient(deps, { clientIdentifier: parameters.get('client_id') }, address)
  entry.applicationId = client.registration.applicationId || undefined
  checkLengths(parameters)
  const redirectUri = await requireRedirectUri(deps, client.registration, parameters, browser)
  return checkRequest(deps, client, redirectUri, parameters)
}

/**
 * What comes back as it was sent is kept meanwhile: it is as long as it needs to be. Throws PageError
 * 400.
 */
function checkLengths(parameters: ReturnType<typeof readParameters>): void {
  const long = ['state', 'nonce'].find((name) => Buffer.byteLength(parameters.get(name) ?? '') > mostReturnedBytes)
  if (long === undefined) return
  throw new PageError({
    status: 400,
    title: ({ errors }) => errors.requestTooLarge.title,
    what: ({ errors }) => errors.requestTooLarge.what(long, mostReturnedBytes),
    remedy: ({ errors }) => errors.contactDeveloper,
    reason: 'request_too_large',
  })
}

function readParameters(text: string) {
  try {
    return readAuthorizationParameters(text)
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    throw new PageError({
      status: 400,
      title: ({ errors }) => errors.requestUnreadable.title,
      what: error.description,
      remedy: ({ errors }) => errors.contactDeveloper,
      reason: error.number === errorNumber.malformedRequest ? 'malformed_request' : 'repeated_parameter',
      cause: error,
    })
  }
}

/** Looking ahead must not make a code (C3). */
function refuseHead(request: FastifyRequest): void {
  if (request.method !== 'HEAD') return
  throw new PageError({
    status: 405,
    title: ({ errors }) => errors.wrongMethod.title,
    what: ({ errors }) => errors.wrongMethod.what('GET, POST'),
    remedy: ({ errors }) => errors.wrongMethod.remedy,
    reason: 'wrong_method',
    headers: [['allow', 'GET, POST']],
  })
}
