// The one place that writes a refusal of the OAuth endpoints (RFC 6749 §5.2, contract §3). What is thrown in the room
// ends here: an OAuthError is sent as it is, an unavailable Store and unavailable Counters become 503, everything else
// says nothing outside.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { answerRaw, hasUnreadBody } from '../http/answers/answer-raw.js'
import { ApiError, apiErrorBody } from '../http/answers/api-error.js'
import { headFields, sendWhole } from '../http/answers/send-whole.js'
import { requestContext } from '../http/requests/request-context.js'
import { errorNumber } from '../oauth/errors/error-numbers.js'
import { OAuthError } from '../oauth/errors/errors.js'
import { parseGuid } from '../oauth/secrets/guid.js'
import { CountersUnavailable } from '../storage/counters/counters.js'
import { StoreUnavailable } from '../storage/sql/store.js'
import { bodyText } from '../web/form-body.js'

/** Long enough for a Store to come back, short enough that nobody gives up. */
const retryAfterSeconds = 2

/**
 * Writes any error as an OAuth refusal; only an ApiError of the server itself stays what it is. `baseUrl` is the
 * issuer, `now` epoch milliseconds.
 */
export function writeOAuthError(
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  options: { baseUrl: string; now: () => number },
): FastifyReply {
  const slow = thrown instanceof ApiError && thrown.status === 408
  if (thrown instanceof ApiError && !slow) return passOn(thrown, request, reply)
  const error = slow ? malformed('The body did not arrive in time.', 408, thrown) : refusalOf(thrown, request)
  note(request, error)
  for (const [name, value] of error.headers) reply.header(name, value)
  // Userinfo asks for a token instead, and says so itself.
  if (error.status === 401 && !reply.hasHeader('www-authenticate'))
    reply.header('www-authenticate', 'Basic realm="portcullis", charset="UTF-8"')
  const waits = error.status === 429 || error.status === 503
  if (waits) reply.header('retry-after', String(error.retryAfterSeconds ?? retryAfterSeconds))
  reply
    .header('cache-control', 'no-store')
    .header('pragma', 'no-cache')
    .header('x-content-type-options', 'nosniff')
    .header('content-type', 'application/json;charset=UTF-8')
  return send(request, reply, error.status, errorBody(error, request, options))
}

/** The refusal that an error is to the caller; what it really was stays in `cause`. */
export function toOAuthError(thrown: unknown): OAuthError {
  if (thrown instanceof OAuthError) return thrown
  if (thrown instanceof StoreUnavailable) return unavailable('The service cannot reach its records now.', thrown)
  if (thrown instanceof CountersUnavailable) return unavailable('The service cannot count requests now.', thrown)
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return malformed('The body is too large.', 413, thrown)
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') return malformed('The body must be form-encoded.', 415, thrown)
  if (typeof code === 'string' && code.startsWith('FST_ERR_CTP_')) {
    return malformed('The body could not be read.', 400, thrown)
  }
  return new OAuthError('server_error', 'Something went wrong here.', {
    number: errorNumber.serverError,
    cause: thrown,
  })
}

/** A client that left in the middle of its body is no failure of ours; nobody hears the answer. */
function refusalOf(thrown: unknown, request: FastifyRequest): OAuthError {
  return thrown === request.raw.errored ? malformed('The body ended too early.', 400, thrown) : toOAuthError(thrown)
}

/** 503: the caller should come back, nothing was decided against it. */
export function unavailable(description: string, cause?: unknown): OAuthError {
  return new OAuthError('temporarily_unavailable', description, { number: errorNumber.unavailable, cause })
}

/** What the server refuses before any room is reached (plain HTTP, a foreign Host) reads the same at every address. */
function passOn(error: ApiError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { requestId, clientRequestId } = requestContext(request)
  reply.headers({ ...error.extras.headers, 'content-type': 'application/json' })
  return send(request, reply, error.status, apiErrorBody(error, requestId, clientRequestId, new Date()))
}

function malformed(description: string, status: number, cause: unknown): OAuthError {
  return new OAuthError('invalid_request', description, { number: errorNumber.malformedRequest, status, cause })
}

function errorBody(
  error: OAuthError,
  request: FastifyRequest,
  options: { baseUrl: string; now: () => number },
): string {
  const { requestId } = requestContext(request)
  return JSON.stringify({
    error: error.code,
    error_description: error.description,
    error_codes: [error.number],
    timestamp: new Date(options.now()).toISOString().replace(/^(.{10})T(.{8}).*$/, '$1 $2Z'),
    trace_id: requestId,
    correlation_id: correlationId(request) ?? requestId,
    error_uri: `${options.baseUrl}/errors/${error.number}`,
    ...(error.suberror === undefined ? {} : { suberror: error.suberror }),
    ...(error.consentUri === undefined ? {} : { consent_uri: error.consentUri }),
  })
}

/** The caller's own `client-request-id`, a GUID from the header, the query or the body, in this order. */
function correlationId(request: FastifyRequest): string | undefined {
  const { clientRequestId, target } = requestContext(request)
  const query = target.ok ? target.query : undefined
  return (
    clientRequestId ??
    parseGuid(new URLSearchParams(query ?? '').get('client-request-id') ?? undefined) ??
    parseGuid(new URLSearchParams(bodyText(request.body) ?? '').get('client-request-id') ?? undefined)
  )
}

/** The stable reason of a refusal. It may say more than the caller hears: whether a secret was wrong or had ended. */
export function reasonOfRefusal(error: OAuthError): string {
  return typeof error.cause === 'string' ? error.cause : `${error.code}:${error.number}`
}

/** For the one line of the log: a stable reason, which is more than the caller hears. A `cause` that is text is one. */
function note(request: FastifyRequest, error: OAuthError): void {
  const facts = requestContext(request)
  facts.entry.reason ??= reasonOfRefusal(error)
  // A Store or Counters that are away are reported once, by what watches them, and not by every request that meets
  // them.
  if (error.status === 500)
    request.server.log.error({ requestId: facts.requestId, err: error.cause ?? error }, error.code)
}

/** A refusal that comes before the request's body was read ends the connection with it. */
function send(request: FastifyRequest, reply: FastifyReply, status: number, body: string): FastifyReply {
  if (request.body !== undefined) {
    sendWhole(request, reply, body, status)
    return reply
  }
  if (!hasUnreadBody(request.raw)) return reply.code(status).send(Buffer.from(body))
  // Fastify asks for the end of the connection itself when a body is too large.
  reply.removeHeader('connection')
  const headers = headFields(request, reply)
  reply.hijack()
  answerRaw(request.raw, reply.raw, { status, headers, body })
  return reply
}
