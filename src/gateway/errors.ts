// Refusals of the gate, and the one place that writes them; those of tokens and permissions are in bearer-errors.ts.
// What a caller hears is decided here: what was wrong and what to do; never an internal address or a library's message.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { TokenPrincipal } from '../access/principal.js'
import type { PermissionRef } from '../directory/records.js'
import { answerRaw } from '../http/answers/answer-raw.js'
import { ApiError, apiErrorBody } from '../http/answers/api-error.js'
import { durationField } from '../http/answers/duration.js'
import { type RequestContext, requestContext } from '../http/requests/request-context.js'

/** A refusal with the stable id that log and metric get. */
export interface Refusal {
  kind: 'refused'
  error: ApiError
  reason: string
  /** Whose call it was, as far as that is proved. */
  principal?: TokenPrincipal | undefined
  /** The permission that was missing. */
  missing?: PermissionRef
  /** What is answered instead of the error body. */
  instead?: Instead
}

export interface Instead {
  status: number
  headers: Readonly<Record<string, string>>
  body: string
}

const plain = {
  not_found: [404, 'NotFound', 'There is nothing here.'],
  body_on_get: [400, 'UnexpectedBody', 'A GET or HEAD request has no body here.'],
  method_override: [
    400,
    'MethodOverride',
    'A request has the method that it begins with; its query cannot name another one, such as _method does.',
  ],
  body_too_large: [413, 'BodyTooLarge', 'The request body is too large.'],
  length_required: [411, 'LengthRequired', 'This call needs a Content-Length.'],
  other_tenant: [404, 'NotFound', 'There is nothing here.'],
  other_application: [
    403,
    'ApplicationNotListed',
    'Only certain applications may make this call, and this is none of them.',
  ],
  upgrade_refused: [400, 'UpgradeRefused', 'Protocol upgrades are not served here.'],
  bad_handshake: [400, 'InvalidHandshake', 'This is not the opening handshake of a WebSocket.'],
  service_worker: [403, 'ServiceWorkerRefused', 'Service worker scripts are not served from this origin.'],
  mcp_origin: [403, 'OriginRefused', 'Pages of this origin may not call here.'],
  mcp_not_json: [
    415,
    'UnsupportedMediaType',
    'A message is sent as Content-Type: application/json, in UTF-8 and not encoded any further.',
  ],
  mcp_no_session: [400, 'NoSession', 'This revision of the protocol has no sessions: send each message by POST.'],
  mcp_message_unseen: [
    403,
    'MessageUnseen',
    'What this request may do depends on the message in its body, and the proxy that asks sends no body: such a server is called through the gate itself.',
  ],
  mcp_body: [400, 'UnexpectedBody', 'Only POST carries a message here; send this request without a body.'],
  upstream_failed: [502, 'BadGateway', 'The service behind the gate did not answer properly.'],
  upstream_timeout: [504, 'GatewayTimeout', 'The service behind the gate did not answer in time.'],
  upstream_overloaded: [503, 'ServiceUnavailable', 'The service behind the gate is overloaded.', '1'],
  upstream_queue: [503, 'ServiceUnavailable', 'No connection to the service behind the gate became free in time.', '1'],
  upstream_streams: [503, 'ServiceUnavailable', 'The service behind the gate has as many streams as it may have.', '5'],
  caller_in_flight: [
    429,
    'TooManyRequests',
    'You have too many requests under way here at once; send the next when some of them have been answered.',
    '1',
  ],
  caller_streams: [429, 'TooManyRequests', 'You have too many streams open here; close some of them.', '5'],
  bodies_full: [503, 'ServiceUnavailable', 'Too many request bodies are on their way; try again.', '1'],
  caller_bodies: [
    429,
    'TooManyRequests',
    'You are sending too many bodies at once; send the next when some of them have been answered.',
    '1',
  ],
  overall_timeout: [504, 'GatewayTimeout', 'The request took too long.'],
  upstream_down: [503, 'ServiceUnavailable', 'The service behind the gate does not answer.', '1'],
  view_stale: [503, 'ServiceUnavailable', 'This instance cannot decide on tokens at the moment.', '1'],
  issuer_unavailable: [503, 'ServiceUnavailable', 'The keys of this token’s issuer cannot be fetched.', '5'],
  rules_unknown: [
    503,
    'ServiceUnavailable',
    'This instance cannot look up at the moment what your tenant says of this tool.',
    '1',
  ],
  limits_unknown: [503, 'ServiceUnavailable', 'This instance cannot count requests at the moment.', '1'],
  internal: [500, 'InternalError', 'The request failed; the request-id names it in the log.'],
} as const satisfies Record<string, readonly [number, string, string, string?]>

/** A refusal that is the same for everybody. */
export function refusal(reason: keyof typeof plain, cause?: unknown): Refusal {
  const [status, code, message, retryAfter] = plain[reason] as readonly [number, string, string, string?]
  const headers = retryAfter === undefined ? {} : { headers: { 'retry-after': retryAfter } }
  return { kind: 'refused', reason, error: new ApiError(status, code, message, { ...headers, cause }) }
}

const comeBack = 'Too many requests from this address; Retry-After says when to come back.'

/** For the address guard, which throws it on the gate's scope: the root's error handler writes it. */
export function addressRefusal(
  request: FastifyRequest,
  refused: { headers: readonly (readonly [string, string])[] },
): ApiError {
  const facts = requestContext(request)
  facts.entry.source = 'gate'
  facts.entry.reason = 'rate_limited'
  return new ApiError(429, 'TooManyRequests', comeBack, { headers: Object.fromEntries(refused.headers) })
}

/** Writes a refusal past Fastify; an unread body ends the connection. Does nothing once a head is out. */
export function writeRefusal(
  request: IncomingMessage,
  response: ServerResponse,
  facts: RequestContext,
  refused: Refusal,
  instead: Instead | undefined = refused.instead,
): void {
  const { error } = refused
  facts.entry.source = 'gate'
  facts.entry.reason = refused.reason
  facts.entry.headAt = performance.now()
  const fields = instead?.headers ?? { ...error.extras.headers, 'content-type': 'application/json' }
  const headers = [...Object.entries(fields).flat(), 'request-id', facts.requestId]
  headers.push('duration', durationField(facts.entry.headAt - facts.startedAt))
  if (facts.entry.answerFields !== undefined) headers.push(...facts.entry.answerFields)
  const body = instead?.body ?? apiErrorBody(error, facts.requestId, facts.clientRequestId, new Date())
  answerRaw(request, response, { status: instead?.status ?? error.status, headers, body })
}
