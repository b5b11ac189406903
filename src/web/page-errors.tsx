// What the errors of a page become: a page. Unknown ones say nothing but where to look; the log has the rest.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { hasUnreadBody } from '../http/answers/answer-raw.js'
import { ApiError, sendApiError } from '../http/answers/api-error.js'
import { toApiError } from '../http/answers/error-responses.js'
import { requestContext } from '../http/requests/request-context.js'
import { OAuthError } from '../oauth/errors/errors.js'
import { Refusal } from '../oauth/errors/refusal.js'
import { InvalidText } from '../storage/sql/store.js'
import { Page } from './pages/layout.js'
import { PageError } from './pages/page-error.js'
import { sendPage } from './pages/send-page.js'

/** Sends the page for whatever was thrown. */
export function sendPageError(thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const facts = requestContext(request)
  // What the server refuses before any room is reached (plain HTTP, a foreign Host) reads the same at every address.
  if (thrown instanceof ApiError) return sendApiError(reply, thrown, facts)
  const error = toPageError(thrown, facts.requestId)
  facts.entry.reason ??= error.reason
  if (error.status === 500) request.server.log.error({ requestId: facts.requestId, err: thrown }, 'page failed')
  for (const [name, value] of error.headers) reply.header(name, value)
  if (error.status === 429 || error.status === 503) reply.header('retry-after', String(error.retryAfterSeconds ?? 1))
  // A refusal that comes before the form was read ends the connection with it.
  if (request.body === undefined && hasUnreadBody(request.raw)) reply.header('connection', 'close')
  return sendPage(reply, error.status, <ErrorPage error={error} requestId={facts.requestId} />)
}

function ErrorPage({ error, requestId }: { error: PageError; requestId: string }) {
  return (
    <Page title={error.title}>
      <div class="card" id="error">
        <p id="what">{error.what}</p>
        <p id="remedy">{error.remedy}</p>
        {error.links.map(({ href, text }, at) => (
          <p key={href}>
            <a class="button" id={at === 0 ? 'go-on' : `go-on-${at}`} href={href}>
              {text}
            </a>
          </p>
        ))}
      </div>
      <p class="fine">
        Request <code id="request-id">{requestId}</code>
      </p>
    </Page>
  )
}

function toPageError(thrown: unknown, requestId: string): PageError {
  if (thrown instanceof PageError) return thrown
  if (thrown instanceof OAuthError) return fromOAuthError(thrown)
  if (thrown instanceof Refusal) return refused(thrown)
  if (thrown instanceof InvalidText) return unreadable(400)
  const { status } = toApiError(thrown)
  if (status === 413) {
    return new PageError({
      status,
      title: 'This form is too large',
      what: 'What your browser sent is larger than this page accepts.',
      remedy: 'Open the page again and submit less.',
    })
  }
  if (status === 503) return away(thrown)
  if (status < 500) return unreadable(status)
  return new PageError({
    status: 500,
    title: 'Something went wrong',
    what: 'An unexpected error occurred. This is not your fault.',
    remedy: `Try again in a while. If it keeps happening, give the operator of this server this request number: ${requestId}`,
    reason: 'server_error',
    cause: thrown,
  })
}

/** What the rooms below refuse in the words of OAuth: too many requests from an address, mostly. */
function fromOAuthError(error: OAuthError): PageError {
  const { status, headers, retryAfterSeconds } = error
  if (status === 503) return away(error)
  if (status !== 429) {
    const remedy = 'Go back to where you came from and start again.'
    return new PageError({ status, title: 'This request was refused', what: error.description, remedy, headers })
  }
  const seconds = retryAfterSeconds ?? 1
  return new PageError({
    status,
    title: 'Too many requests',
    what: 'Too many requests came from your network in a short time.',
    remedy: `Wait ${seconds === 1 ? 'a second' : `${seconds} seconds`}, then open the page again.`,
    reason: 'throttled',
    retryAfterSeconds: seconds,
    headers,
  })
}

/** A rule of the rooms below, in their words: they are safe to show. */
function refused(error: Refusal): PageError {
  return new PageError({
    status: error.status,
    title: 'This cannot be done',
    what: error.message,
    remedy: 'Go back, check what you entered, and try again.',
    reason: error.code,
  })
}

function unreadable(status: number): PageError {
  return new PageError({
    status,
    title: 'We could not read this request',
    what: 'Your browser sent something that this server could not read.',
    remedy: 'Open the page again.',
  })
}

function away(cause: unknown): PageError {
  return new PageError({
    status: 503,
    title: 'This service is temporarily unavailable',
    what: 'It cannot reach its data, so nothing could be shown or changed.',
    remedy:
      'Wait a moment, then open the page again. If you were submitting a form, check first whether it went through.',
    reason: 'store_unavailable',
    retryAfterSeconds: 2,
    cause,
  })
}
