// What the errors of a page become: a page. Unknown ones say nothing but where to look; the log has the rest.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { hasUnreadBody } from '../http/answers/answer-raw.js'
import { ApiError, sendApiError } from '../http/answers/api-error.js'
import { toApiError } from '../http/answers/error-responses.js'
import { requestContext } from '../http/requests/request-context.js'
import { say } from '../languages/texts.js'
import { OAuthError } from '../oauth/errors/errors.js'
import { Refusal } from '../oauth/errors/refusal.js'
import { InvalidText } from '../storage/sql/store.js'
import { refusalText } from './language/refusal-text.js'
import { useReading, useTexts } from './language/texts.js'
import { Page } from './pages/layout.js'
import { errorText, PageError } from './pages/page-error.js'
import { type SendOptions, sendPage } from './pages/send-page.js'

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
  return sendPage(reply, error.status, <ErrorPage error={error} requestId={facts.requestId} />, howToSend(error))
}

/** What is said to operators and developers there is in English only. What a refused address says is on no page. */
function howToSend({ title }: PageError): SendOptions {
  return { choosesLanguage: false, ...(typeof title === 'string' ? { language: 'en' } : {}) }
}

function ErrorPage({ error, requestId }: { error: PageError; requestId: string }) {
  const texts = useTexts()
  const { language } = useReading()
  // The words of the protocol are English everywhere.
  const foreign = typeof error.what === 'string' && language !== 'en' ? { lang: 'en' } : {}
  return (
    <Page title={say(texts, error.title)}>
      <div class="card" id="error">
        <p id="what" {...foreign}>
          {say(texts, error.what)}
        </p>
        <p id="remedy">{say(texts, error.remedy)}</p>
        {error.links.map(({ href, text }, at) => (
          <p key={href}>
            <a class="button" id={at === 0 ? 'go-on' : `go-on-${at}`} href={href}>
              {say(texts, text)}
            </a>
          </p>
        ))}
      </div>
      <p class="fine">
        {texts.frame.request} <code id="request-id">{requestId}</code>
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
      ...errorText(({ errors }) => errors.tooLarge),
    })
  }
  if (status === 503) return away(thrown)
  if (status < 500) return unreadable(status)
  return new PageError({
    status: 500,
    title: ({ errors }) => errors.unexpected.title,
    what: ({ errors }) => errors.unexpected.what,
    remedy: ({ errors }) => errors.unexpected.remedy(requestId),
    reason: 'server_error',
    cause: thrown,
  })
}

/** What the rooms below refuse in the words of OAuth: too many requests from an address, mostly. */
function fromOAuthError(error: OAuthError): PageError {
  const { status, headers, retryAfterSeconds } = error
  if (status === 503) return away(error)
  if (status !== 429) {
    const { title, remedy } = errorText(({ errors }) => ({ ...errors.refused, what: '' }))
    return new PageError({ status, title, what: error.description, remedy, headers })
  }
  const seconds = retryAfterSeconds ?? 1
  return new PageError({
    status,
    title: ({ errors }) => errors.tooManyRequests.title,
    what: ({ errors }) => errors.tooManyRequests.what,
    remedy: ({ errors }) => errors.tooManyRequests.remedy(seconds),
    reason: 'throttled',
    retryAfterSeconds: seconds,
    headers,
  })
}

/** A rule of the rooms below, in their words: they are safe to show. */
function refused(error: Refusal): PageError {
  return new PageError({
    status: error.status,
    title: ({ errors }) => errors.cannot.title,
    what: refusalText(error),
    remedy: ({ errors }) => errors.cannot.remedy,
    reason: error.code,
  })
}

function unreadable(status: number): PageError {
  return new PageError({
    status,
    ...errorText(({ errors }) => errors.unreadable),
  })
}

function away(cause: unknown): PageError {
  return new PageError({
    status: 503,
    ...errorText(({ errors }) => errors.away),
    reason: 'store_unavailable',
    retryAfterSeconds: 2,
    cause,
  })
}
