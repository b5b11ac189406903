// The error body of resource and management calls: one OData error object (contract §5). One class, one writer.

import type { FastifyReply } from 'fastify'

export interface ApiErrorDetail {
  code: string
  message: string
  target?: string
}

export interface ApiErrorExtras {
  target?: string
  details?: readonly ApiErrorDetail[]
  headers?: Readonly<Record<string, string>>
  /** Fields beside code and message that help to fix it, such as `consent_uri`. */
  more?: Readonly<Record<string, unknown>>
  cause?: unknown
}

/** A refused resource or management call: HTTP status, a stable code in PascalCase, a message that is safe to send. */
export class ApiError extends Error {
  readonly status: number
  readonly code: string
  readonly extras: ApiErrorExtras

  constructor(status: number, code: string, message: string, extras: ApiErrorExtras = {}) {
    super(message, { cause: extras.cause })
    this.name = 'ApiError'
    this.status = status
    this.code = code
    this.extras = extras
  }
}

/**
 * The body for an ApiError. `requestId` is this request's GUID, `clientRequestId` the caller's own, when it sent a
 * valid one.
 */
export function apiErrorBody(
  error: ApiError,
  requestId: string,
  clientRequestId: string | undefined,
  now: Date,
): string {
  const { target, details, more } = error.extras
  return JSON.stringify({
    error: {
      code: error.code,
      message: error.message,
      ...(target === undefined ? {} : { target }),
      ...(details === undefined ? {} : { details }),
      ...more,
      innerError: {
        date: now.toISOString(),
        'request-id': requestId,
        ...(clientRequestId === undefined ? {} : { 'client-request-id': clientRequestId }),
      },
    },
  })
}

/** Sends an ApiError through Fastify. The gate, whose replies are hijacked, writes apiErrorBody itself. */
export function sendApiError(
  reply: FastifyReply,
  error: ApiError,
  ids: { requestId: string; clientRequestId: string | undefined },
): FastifyReply {
  for (const [name, value] of Object.entries(error.extras.headers ?? {})) reply.header(name, value)
  return reply
    .code(error.status)
    .header('content-type', 'application/json')
    .send(Buffer.from(apiErrorBody(error, ids.requestId, ids.clientRequestId, new Date())))
}
