// Every refusal of the gate, and the one place that writes them. What a caller hears is decided here: which field was
// missing, which permission, what to do; never an internal address, a library's message or another tenant's facts.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { MissingPermission } from '../access/missing-permission.js'
import type { PermissionRef } from '../directory/records.js'
import { answerRaw } from '../http/answer-raw.js'
import { ApiError, type ApiErrorExtras, apiErrorBody } from '../http/api-error.js'
import { type RequestContext, requestContext } from '../http/request-context.js'
import type { BearerError } from '../oauth/errors.js'

/** A refusal with the stable id that log and metric get. */
export interface Refusal {
  kind: 'refused'
  error: ApiError
  reason: string
}

const plain = {
  not_found: [404, 'NotFound', 'There is nothing here.'],
  body_on_get: [400, 'UnexpectedBody', 'A GET or HEAD request has no body here.'],
  body_too_large: [413, 'BodyTooLarge', 'The request body is too large.'],
  length_required: [411, 'LengthRequired', 'This call needs a Content-Length.'],
  service_worker: [403, 'ServiceWorkerRefused', 'Service worker scripts are not served from this origin.'],
  upstream_failed: [502, 'BadGateway', 'The service behind the gate did not answer properly.'],
  upstream_timeout: [504, 'GatewayTimeout', 'The service behind the gate did not answer in time.'],
  upstream_overloaded: [503, 'ServiceUnavailable', 'The service behind the gate is overloaded.', '1'],
  view_stale: [503, 'ServiceUnavailable', 'This instance cannot decide on tokens at the moment.', '1'],
  internal: [500, 'InternalError', 'The request failed; the request-id names it in the log.'],
} as const satisfies Record<string, readonly [number, string, string, string?]>

/** A refusal that is the same for everybody. */
export function refusal(reason: keyof typeof plain, cause?: unknown): Refusal {
  const [status, code, message, retryAfter] = plain[reason] as readonly [number, string, string, string?]
  const headers = retryAfter === undefined ? {} : { headers: { 'retry-after': retryAfter } }
  return { kind: 'refused', reason, error: new ApiError(status, code, message, { ...headers, cause }) }
}

/** RFC 9110 §15.5.6: 405 names the methods that there are. */
export function methodNotAllowed(allow: string): Refusal {
  const error = new ApiError(405, 'MethodNotAllowed', `Allowed here: ${allow}.`, { headers: { allow } })
  return { kind: 'refused', reason: 'method_not_allowed', error }
}

/** RFC 6750 §3, RFC 9728 §5.1. No token: no error parameter. `resource` is the route's. */
export function bearerRefusal(error: BearerError, resource: string, baseUrl: string): Refusal {
  const challenge = challengeFor(resource, baseUrl)
  const description = quoted(error.message)
  const [status, code, header] =
    error.code === 'no_token'
      ? ([401, 'AuthenticationRequired', challenge] as const)
      : error.code === 'invalid_request'
        ? ([
            400,
            'InvalidRequest',
            `${challenge}, error="invalid_request", error_description="${description}"`,
          ] as const)
        : ([401, 'InvalidToken', `${challenge}, error="invalid_token", error_description="${description}"`] as const)
  const headers = { 'www-authenticate': header, 'cache-control': 'no-store' }
  return { kind: 'refused', reason: error.reason, error: new ApiError(status, code, error.message, { headers }) }
}

/** A refusal that tells how to mend it (contract §5). `described` is absent when the directory could not be asked. */
export function missingPermission(
  missing: PermissionRef,
  described: MissingPermission | undefined,
  baseUrl: string,
): Refusal {
  const message = described?.message ?? `This call needs the ${missing.kind} permission ${missing.id}.`
  const challenge = `${challengeFor(missing.resource, baseUrl)}, error="insufficient_scope", scope="${missing.id}"`
  const extras: ApiErrorExtras = {
    target: missing.id,
    headers: { 'www-authenticate': challenge, 'cache-control': 'no-store' },
    more: {
      permission: { id: missing.id, kind: missing.kind, resource: missing.resource, status: described?.status },
      consent_uri: described?.consentUri,
    },
  }
  return {
    kind: 'refused',
    reason: 'insufficient_scope',
    error: new ApiError(403, 'InsufficientPermission', message, extras),
  }
}

/** 429 with the limiter's fields (contract §6). */
export function tooManyRequests(fields: readonly (readonly [string, string])[]): Refusal {
  const headers = Object.fromEntries(fields)
  const error = new ApiError(429, 'TooManyRequests', 'Too many requests; Retry-After says when to come back.', {
    headers,
  })
  return { kind: 'refused', reason: 'rate_limited', error }
}

/** For the address guard, which throws it on the gate's scope: the root's error handler writes it. */
export function addressRefusal(
  request: FastifyRequest,
  refused: { headers: readonly (readonly [string, string])[] },
): ApiError {
  const facts = requestContext(request)
  facts.source = 'gate'
  const { error, reason } = tooManyRequests(refused.headers)
  facts.reason = reason
  return error
}

/** Writes a refusal past Fastify; an unread body ends the connection. Does nothing once a head is out. */
export function writeRefusal(
  request: IncomingMessage,
  response: ServerResponse,
  facts: RequestContext,
  refused: Refusal,
): void {
  const { error } = refused
  facts.source = 'gate'
  facts.reason = refused.reason
  facts.headAt = performance.now()
  const headers = Object.entries(error.extras.headers ?? {}).flat()
  headers.push('content-type', 'application/json', 'request-id', facts.requestId)
  headers.push('duration', String(Math.round((facts.headAt - facts.startedAt) * 1000) / 1000))
  const body = apiErrorBody(error, facts.requestId, facts.clientRequestId, new Date())
  answerRaw(request, response, { status: error.status, headers, body })
}

function challengeFor(resource: string, baseUrl: string): string {
  const realm = `Bearer realm="${baseUrl}"`
  if (!URL.canParse(resource) || !resource.startsWith('https://')) return realm
  const path = new URL(resource).pathname.replace(/\/$/, '')
  return `${realm}, resource_metadata="${baseUrl}/.well-known/oauth-protected-resource${path}"`
}

/** RFC 6750 §3: error_description takes no quotes, backslashes or characters beyond ASCII. */
function quoted(text: string): string {
  return text.replace(/[^\x20-\x21\x23-\x5B\x5D-\x7E]/g, '?')
}
