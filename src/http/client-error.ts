// What a client gets when its bytes never became a request: a malformed head, too many header bytes, a head that came
// too slowly. No hook runs then, so this file writes the whole answer to the socket, error body and request-id included.

import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { ApiError, apiErrorBody } from './api-error.js'

/** Codes of Node's parser and time-outs; everything else is a malformed request. */
const refusals: Readonly<Record<string, { status: number; code: string; message: string }>> = {
  HPE_HEADER_OVERFLOW: { status: 431, code: 'HeadersTooLarge', message: 'The request head is too large.' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: 413,
    code: 'ChunkExtensionsTooLarge',
    message: 'The chunk extensions are too large.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, code: 'RequestTimeout', message: 'The request did not arrive in time.' },
}
const malformed = { status: 400, code: 'MalformedRequest', message: 'The request is not valid HTTP/1.1.' }

type AnsweringSocket = Socket & { _httpMessage?: { headersSent: boolean } | null }

/** Answers and closes. Returns the reason for the metric. An answer that has begun is cut, never added to. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): string {
  const refusal = refusals[error.code ?? ''] ?? malformed
  const begun = (socket as AnsweringSocket)._httpMessage?.headersSent === true
  if (error.code === 'ECONNRESET' || begun || !socket.writable) socket.destroy(error)
  else socket.end(closingAnswer(new ApiError(refusal.status, refusal.code, refusal.message)), () => socket.destroy())
  return refusal.code
}

/** A whole HTTP/1.1 answer with an error body, after which the connection closes. */
export function closingAnswer(error: ApiError): string {
  const requestId = randomUUID()
  const now = new Date()
  const body = apiErrorBody(error, requestId, undefined, now)
  const lines = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? 'Error'}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(body)}`,
    `date: ${now.toUTCString()}`,
    `request-id: ${requestId}`,
    'duration: 0',
    ...Object.entries(error.extras.headers ?? {}).map(([name, value]) => `${name}: ${value}`),
    'connection: close',
  ]
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}
