// What an upstream's failure becomes. The client learns whose fault it was and nothing else (P5): no address, no
// certificate, no library's words; those go to the log.

import type { RetryReason } from '../../config/settings/upstream-settings.js'
import { ApiError } from '../../http/answers/api-error.js'
import { type Refusal, refusal } from '../errors.js'
import { bytesReadBefore, isConnectFailure } from '../upstreams/connect.js'
import type { UpstreamOutcome } from '../upstreams/upstream.js'
import { BodyRefused, type StreamedBody } from './request-body.js'

type CodedError = Error & { code?: string; socket?: { bytesRead?: number } }

const timeouts = new Set(['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ETIMEDOUT'])
const lostConnection = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'])
/** The dispatcher would not even take the request: that is our own fault. */
const refusedByClient = new Set(['UND_ERR_INVALID_ARG', 'UND_ERR_NOT_SUPPORTED', 'UND_ERR_DESTROYED', 'UND_ERR_CLOSED'])

/** The answer for a failure before the upstream's head, and how it counts. */
export function upstreamFailure(error: CodedError): { refused: Refusal; outcome: UpstreamOutcome } {
  if (error instanceof BodyRefused) {
    const refused: Refusal = {
      kind: 'refused',
      reason: 'request_body',
      error: new ApiError(error.status, error.code, error.message),
    }
    return { refused, outcome: 'abandoned' }
  }
  const code = error.code ?? ''
  if (timeouts.has(code)) return { refused: refusal('upstream_timeout', error), outcome: 'timeout' }
  if (refusedByClient.has(code)) return { refused: refusal('internal', error), outcome: 'failed' }
  return { refused: refusal('upstream_failed', error), outcome: 'failed' }
}

/**
 * Whether the upstream closed a kept-alive connection just as it was used again. Only then is nothing known to have
 * been done with the request, so only then may it be sent once more.
 */
function isReusedConnectionLost(error: CodedError): boolean {
  if (!lostConnection.has(error.code ?? '')) return false
  return (error.socket?.bytesRead ?? bytesReadBefore(error)) > 0
}

/**
 * Whether a request of which nothing came back is sent once more: GET and HEAD, on a connection that had served before
 * (RFC 9110 §9.2.2).
 */
export function mayRepeat(method: string, error: CodedError): boolean {
  return (method === 'GET' || method === 'HEAD') && isReusedConnectionLost(error)
}

/**
 * What a failure is called where it may be sent again: `connect`, when nothing of it, and nothing of its body, ever
 * left the gate; `reset`, when it did and nothing of an answer came. Whether a method may be repeated is another
 * question.
 */
export function retryReason(
  error: CodedError,
  { answering, body }: { answering: boolean; body: StreamedBody | undefined },
): RetryReason | undefined {
  if (answering) return undefined
  const isWhole = body === undefined || !(body.stream.readableDidRead || body.stream.destroyed)
  if (isConnectFailure(error)) return isWhole ? 'connect' : undefined
  return body === undefined && lostConnection.has(error.code ?? '') ? 'reset' : undefined
}
