// What a client gets when its bytes never became a request: a malformed head, too many header bytes, a head that came
// too slowly. No hook runs then, so this file writes the whole answer to the socket, error body and request-id
// included.

import { randomUUID } from 'node:crypto'
import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { afterOwedAnswers, dropUnfinished, owesAnswer } from '../connections/pipelining.js'
import { ApiError, apiErrorBody } from './api-error.js'
import { isWholeAnswer } from './whole-answers.js'

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

/**
 * RFC 9112 §6.1. The parser gives up on such a body after its request was handed over, and before anything is read of
 * it.
 */
const unknownCoding = { status: 501, code: 'TransferCoding', message: 'The only transfer coding is chunked.' }

type AnsweringSocket = Socket & { _httpMessage?: ServerResponse | null }

/**
 * Answers and closes, after the answers that are owed to requests before. Returns the reason for the metric. An answer
 * that has begun is cut, never added to; a whole one is sent.
 */
export function answerClientError(error: Error & { code?: string }, socket: Socket): string {
  const { _httpMessage: response } = socket as AnsweringSocket
  const broken = response != null && !response.req.complete ? response : undefined
  const isCoding = error.code === 'HPE_INVALID_TRANSFER_ENCODING' && broken !== undefined
  const refusal = isCoding ? unknownCoding : (refusals[error.code ?? ''] ?? malformed)
  dropUnfinished(socket)
  if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy(error)
  else if (owesAnswer(socket)) afterOwedAnswers(socket, () => refuseAndClose(socket, refusal))
  else if (broken !== undefined && isWholeAnswer(broken)) endWhole(broken, socket)
  else if (broken?.headersSent === true) socket.destroy(error)
  else refuseAndClose(socket, refusal)
  return refusal.code
}

/** A refusal that came before the body did says everything; nothing of that body will be read. */
function endWhole(response: ServerResponse, socket: Socket): void {
  response.end()
  socket.destroySoon()
}

function refuseAndClose(socket: Socket, { status, code, message }: typeof malformed): void {
  socket.end(closingAnswer(new ApiError(status, code, message)), () => socket.destroy())
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
