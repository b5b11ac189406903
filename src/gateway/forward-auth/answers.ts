// What a proxy hears: that a request may go on and who its service is told calls, or the refusal that its client gets.

import type { FastifyReply, FastifyRequest } from 'fastify'
import { answerRaw } from '../../http/answers/answer-raw.js'
import { ApiError, apiErrorBody } from '../../http/answers/api-error.js'
import { durationField } from '../../http/answers/duration.js'
import { type RequestContext, requestContext } from '../../http/requests/request-context.js'
import { type Refusal, writeRefusal } from '../errors.js'
import { identityFieldNames } from '../forward/headers/identity-fields.js'
import type { Dialect } from './dialects.js'

/** The request may go on. */
export interface Allowed {
  kind: 'allowed'
  /** The whole Authorization value for the service; empty where it is told nothing. */
  authorization: string
  /** Flat name, value list of what `identity: headers` tells the service. */
  identity: readonly string[]
  /** Flat name, value list. */
  limitFields: readonly string[]
}

/**
 * 200. Every field that says who calls is there in any case, be it empty: a proxy that copies it takes the client's own
 * away. Nothing of it may be stored, or a revocation would not be seen.
 */
export function answerAllowed(request: FastifyRequest, reply: FastifyReply, allowed: Allowed): void {
  const facts = requestContext(request)
  facts.entry.headAt = performance.now()
  const duration = durationField(facts.entry.headAt - facts.startedAt)
  const identity = new Map([['authorization', allowed.authorization], ...identityFieldNames.map(empty)])
  for (let i = 0; i < allowed.identity.length; i += 2)
    identity.set(allowed.identity[i] ?? '', allowed.identity[i + 1] ?? '')
  const headers = [...[...identity].flat(), 'request-id', facts.requestId, 'duration', duration]
  headers.push('cache-control', 'no-store', ...allowed.limitFields)
  reply.hijack()
  answerRaw(request.raw, reply.raw, { status: 200, headers, body: '' })
}

function empty(name: string): [string, string] {
  return [name, '']
}

/** The refusal as the gate writes it, in what the proxy can pass on of it. */
export function answerRefusal(request: FastifyRequest, reply: FastifyReply, refused: Refusal, dialect: Dialect): void {
  const facts = requestContext(request)
  reply.hijack()
  const error = dialect.knowsOnly401And403 ? inHeaderFields(refused.error, facts) : refused.error
  writeRefusal(request.raw, reply.raw, facts, { ...refused, error })
}

function inHeaderFields(error: ApiError, { requestId, clientRequestId }: RequestContext): ApiError {
  const { status, code, message, extras } = error
  const body = asciiOf(apiErrorBody(error, requestId, clientRequestId, new Date()))
  const headers = { ...extras.headers, 'x-portcullis-status': String(status), 'x-portcullis-refusal': body }
  return new ApiError(status === 401 ? 401 : 403, code, message, { ...extras, headers })
}

/** JSON that a header field can carry. */
function asciiOf(json: string): string {
  return json.replace(/[^\x20-\x7e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
