// What the rooms' errors become at the edge of a Fastify scope that has no error writer of its own: the root, the
// operator listener, the local socket. Unknown errors say nothing outside; the log has the rest.

import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { reasonOf } from '../../observability/reason.js'
import { requestContext } from '../requests/request-context.js'
import { answerRaw, hasUnreadBody } from './answer-raw.js'
import { ApiError, apiErrorBody, sendApiError } from './api-error.js'
import { durationField } from './duration.js'

interface KnownError extends Error {
  code?: string
  statusCode?: number
}

const byCode: Readonly<Record<string, { status: number; code: string; message: string }>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: { status: 413, code: 'BodyTooLarge', message: 'The request body is too large.' },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    status: 415,
    code: 'UnsupportedMediaType',
    message: 'This media type is not accepted here.',
  },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: {
    status: 400,
    code: 'InvalidBody',
    message: 'The body has another length than announced.',
  },
  FST_ERR_CTP_INVALID_JSON_BODY: { status: 400, code: 'InvalidJson', message: 'The body is not valid JSON.' },
  FST_ERR_CTP_EMPTY_JSON_BODY: { status: 400, code: 'InvalidJson', message: 'The body is empty.' },
}

/** The ApiError for whatever was thrown: as it is, or by a known code, or 500 without a word about the cause. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  const known = error as KnownError
  if (known.code === 'store_unavailable' || known.code === 'counters_unavailable') {
    const headers = { 'retry-after': '1' }
    return new ApiError(503, 'ServiceUnavailable', 'The service cannot answer now.', { headers, cause: error })
  }
  if (known.code === 'FST_ERR_VALIDATION') return new ApiError(400, 'InvalidRequest', known.message, { cause: error })
  const entry = byCode[known.code ?? '']
  if (entry !== undefined) return new ApiError(entry.status, entry.code, entry.message, { cause: error })
  if (known instanceof SyntaxError && known.statusCode === 400) {
    return new ApiError(400, 'InvalidJson', 'The body is not valid JSON.', { cause: error })
  }
  return new ApiError(500, 'InternalError', 'The request failed; the request-id names it in the log.', { cause: error })
}

/** Makes a Fastify instance answer its errors and its 404s with the error body of contract §5. */
export function writeApiErrors(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => answer(bodyLost(error, request) ?? toApiError(error), request, reply))
  app.setNotFoundHandler((request, reply) =>
    answer(new ApiError(404, 'NotFound', 'There is nothing here.'), request, reply),
  )
}

/** The client left in the middle of its body: nobody hears the answer, and nothing of ours failed. */
function bodyLost(error: unknown, request: FastifyRequest): ApiError | undefined {
  if (error !== request.raw.errored) return undefined
  return new ApiError(400, 'IncompleteBody', 'The request body ended too early.', { cause: error })
}

/**
 * Something that is away has been told with all that is known; each request that meets it adds a line, and no stack.
 */
function note(error: ApiError, log: FastifyBaseLogger, requestId: string): void {
  const cause = error.cause ?? error
  if (error.status === 503) log.warn({ requestId, reason: reasonOf(cause) }, error.code)
  else log.error({ requestId, err: cause }, error.code)
}

function answer(error: ApiError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const facts = requestContext(request)
  // 501 is for a request that no server here implements: no fault of ours, and no line that it could write at will.
  if (error.status >= 500 && error.status !== 501) note(error, request.server.log, facts.requestId)
  if (!hasUnreadBody(request.raw)) return sendApiError(reply, error, facts)
  reply.hijack()
  // An unread body ends the connection anyway.
  const { connection: _ends, ...fields } = error.extras.headers ?? {}
  const headers = Object.entries(fields).flat()
  headers.push('content-type', 'application/json', 'request-id', facts.requestId)
  headers.push('duration', durationField(performance.now() - facts.startedAt))
  const body = apiErrorBody(error, facts.requestId, facts.clientRequestId, new Date())
  answerRaw(request.raw, reply.raw, { status: error.status, headers, body })
  return reply
}
